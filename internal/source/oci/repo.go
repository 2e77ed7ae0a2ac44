// Package oci fetches charts and plain artifacts from OCI registries, by
// tag, version range or digest.
//
// An artifact is a manifest with one layer that is a tar archive. Images
// with several layers are refused. When to look is the caller's concern.
package oci

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/archive"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// Bounds of what a registry may answer.
const (
	maxTags       = 20_000
	maxTag        = 128     // letters, by the specification: what is longer is none
	maxTagsText   = 1 << 20 // of all of them together
	maxPages      = 100
	manifestLimit = 4 << 20
)

// Settings are what all repositories share.
type Settings struct {
	// Dir keeps layers by their digest.
	Dir     string
	Room    *archive.Room
	Limits  archive.Limits
	Timeout time.Duration
	// Login is asked, where the credential proves no identity, once the registry
	// wants to know who asks; nil for nobody.
	Login func(ctx context.Context, host string) auth.Credential
}

// Repo is one repository of a registry: host/path of a chart or artifact.
type Repo struct {
	name   string
	remote *remote.Repository
	cred   access.Credential
	Settings

	mu sync.Mutex
	// contents are the layers of manifests that were read, see content.
	contents map[digest.Digest]ocispec.Descriptor
}

// New makes a Repo of a name such as ghcr.io/org/charts/web; it opens no connection.
func New(name string, cred access.Credential, s Settings) (*Repo, error) {
	r, err := remote.NewRepository(name)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "%q is no name of a repository in a registry", name).Do("correct repoURL and chart")
	}
	if r.Reference.Reference != "" {
		return nil, gitops.Problemf(gitops.Invalid, "%q ends with a tag or digest", name).Do("move the tag or digest to targetRevision")
	}
	transport, err := web.Transport(cred)
	if err != nil {
		return nil, err
	}
	host := r.Reference.Registry
	// Registries on the own machine speak plain HTTP by convention.
	plain := cred.PlainHTTP || address.IsLoopback(host) && !asksForTLS(cred)
	client := &auth.Client{
		Client:     &http.Client{Transport: keeper{next: transport, registry: spokenTo(plain, r.Reference.Host()), token: cred.TokenHost}, Timeout: s.Timeout},
		Cache:      auth.NewCache(),
		Credential: s.credential(r.Reference, cred),
	}
	client.SetUserAgent(web.Agent)
	r.Client, r.PlainHTTP = client, plain
	r.TagListMaxPages, r.MaxMetadataBytes = maxPages, manifestLimit
	return &Repo{name: name, remote: r, cred: cred, Settings: s}, nil
}

// credential is what a registry gets that wants to know who asks. The host that
// it names for tokens gets it as well, where a keeper lets it.
func (s Settings) credential(at registry.Reference, cred access.Credential) auth.CredentialFunc {
	if s.Login == nil || cred.SignsIn() {
		return auth.StaticCredential(at.Registry, auth.Credential{Username: cred.Username, Password: cred.Password.Reveal(), AccessToken: cred.BearerToken.Reveal()})
	}
	return func(ctx context.Context, host string) (auth.Credential, error) {
		if host != at.Host() {
			return auth.EmptyCredential, nil
		}
		return s.Login(ctx, host), nil
	}
}

// asksForTLS reports whether the credential says how to speak TLS.
func asksForTLS(cred access.Credential) bool {
	return cred.CA != "" || cred.TLSCert != "" || cred.Insecure
}

// View is the list of tags at one look-up.
type View struct {
	repo *Repo
	tags []string
	text int   // the length of all tags
	more bool  // there are others, for which there was no room
	err  error // why the registry does not list tags
}

// Look lists the tags. A registry that answers but does not list them can
// still be asked for a tag by name. Every look gives a new View, because a
// tag can be moved without showing in the list.
func (r *Repo) Look(ctx context.Context) (*View, error) {
	touch(r.Dir)
	v := &View{repo: r}
	err := r.remote.Tags(ctx, "", v.add)
	v.more = errors.Is(err, errEnough) || errors.Is(err, errdef.ErrTooManyPages)
	if err == nil || v.more {
		return v, nil
	}
	v.err = r.explain("cannot list the tags", err)
	var p *gitops.Problem
	if errors.As(v.err, &p) && p.Kind == gitops.Unreachable {
		return nil, v.err
	}
	return v, nil
}

var errEnough = errors.New("enough tags")

// add takes up a page of tags, as far as there is room: they stay in memory.
func (v *View) add(tags []string) error {
	for _, tag := range tags {
		if len(tag) > maxTag {
			continue
		}
		if len(v.tags) >= maxTags || v.text+len(tag) > maxTagsText {
			return errEnough
		}
		v.tags = append(v.tags, tag)
		v.text += len(tag)
	}
	return nil
}

// explain turns an error of the registry client into a Problem.
func (r *Repo) explain(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	var known *gitops.Problem
	if errors.As(err, &known) {
		return known // without the address of the request, which is a registry's word
	}
	p := &gitops.Problem{Kind: gitops.Unreachable, Err: err}
	said := r.cred.Redact(err.Error())
	var res *errcode.ErrorResponse
	switch {
	case errors.As(err, &res):
		said = fmt.Sprintf("the registry answers %d %s", res.StatusCode, strings.ToLower(http.StatusText(res.StatusCode)))
		switch res.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			p.Kind, p.Err = gitops.Refused, &access.Refusal{Err: err}
			p.Fix = "check that the artifact exists and the credentials in the repository Secret"
		case http.StatusNotFound:
			p.Kind, p.Fix = gitops.NotFound, "check repoURL and chart"
		}
	case errors.Is(err, errdef.ErrNotFound):
		p.Kind, p.Fix, said = gitops.NotFound, "check repoURL, chart and targetRevision", "not found"
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		p.Kind, p.Err = gitops.Refused, &access.Refusal{Err: err}
		p.Fix, said = "add a repository Secret with credentials", "the registry asks for credentials"
	}
	p.What = fmt.Sprintf("%s of %s: %s", what, r.name, said)
	return p
}
