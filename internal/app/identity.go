package app

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Identity is what private repositories are opened with where there is no hub;
// the zero value opens public ones, and none over ssh.
type Identity struct {
	// Logins uses what the person at this machine is signed in with.
	Logins bool
	// Known are repository Secrets; nil for none.
	Known *source.Credentials
	// Advice is what to do where a server lets nobody in.
	Advice string
}

// options are those of the fetch stage for an identity.
func (i Identity) options(o source.Options) source.Options {
	o.Logins, o.NoKeys, o.SignIn = i.Logins, !i.Logins, i.Advice
	o.Credentials = &source.Credentials{}
	if i.Known != nil {
		o.Credentials = i.Known
	}
	return o
}

// accessOf is what Secrets and ConfigMaps say of repositories, and why some
// Secrets say nothing.
func accessOf(secrets []corev1.Secret, trust source.Trust) (*source.Credentials, []error) {
	known := &source.Credentials{}
	var all []source.Repository
	var errs []error
	for i := range secrets {
		r, err := source.ParseRepository(&secrets[i])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, r)
	}
	known.Replace(all)
	known.Trust(trust)
	return known, errs
}

// CredentialsAt reads the repository Secrets of a hub, and which hosts it
// believes. The errors are those of Secrets that say nothing.
func CredentialsAt(ctx context.Context, cfg Config) (*source.Credentials, []error, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, nil, err
	}
	c, err := client.New(cfg.Hub, client.Options{Scheme: scheme})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	namespace := orElse(cfg.Namespace, defaultNamespace)
	var secrets []corev1.Secret
	for _, kind := range []string{v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds} {
		var list corev1.SecretList
		if err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelSecretType: kind}); err != nil {
			return nil, nil, fmt.Errorf("cannot list the repository Secrets of namespace %s: %w", namespace, err)
		}
		secrets = append(secrets, list.Items...)
	}
	trust, err := trustAt(ctx, c, namespace)
	if err != nil {
		return nil, nil, err
	}
	known, errs := accessOf(secrets, trust)
	return known, errs, nil
}

// trustAt reads which hosts an installation believes.
func trustAt(ctx context.Context, c client.Reader, namespace string) (source.Trust, error) {
	hosts, err1 := follow.Read(ctx, c, namespace, knownHostsMap)
	certs, err2 := follow.Read(ctx, c, namespace, tlsCertsMap)
	if err := errors.Join(err1, err2); err != nil {
		return source.Trust{}, fmt.Errorf("cannot read which hosts to believe: %w", err)
	}
	return source.Trust{KnownHosts: hosts[knownHostsKey], CAs: certs}, nil
}
