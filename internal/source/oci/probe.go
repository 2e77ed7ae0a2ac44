package oci

import (
	"context"
	"errors"

	"oras.land/oras-go/v2/registry/remote"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// Probe lists the first tags of a repository, and tells how many there are on
// the first page.
func (r *Repo) Probe(ctx context.Context) (int, error) {
	count := 0
	err := r.remote.Tags(ctx, "", func(tags []string) error {
		count = len(tags)
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return 0, r.explain("cannot list the tags", err)
	}
	return count, nil
}

// Ping asks a registry whether it takes a credential. Of what is in it nothing
// is asked: a prefix of charts has no tags of its own.
func Ping(ctx context.Context, host string, cred access.Credential, s Settings) error {
	registry, err := remote.NewRegistry(host)
	if err != nil {
		return gitops.Problemf(gitops.Invalid, "%q is no name of a registry", host).Do("correct the address")
	}
	r, err := New(host+"/probe", cred, s)
	if err != nil {
		return err
	}
	registry.Client, registry.PlainHTTP = r.remote.Client, r.remote.PlainHTTP
	r.name = host
	if err := registry.Ping(ctx); err != nil {
		return r.explain("cannot sign in", err)
	}
	return nil
}
