package app

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/source"
)

// OfflineCredentials are what private repositories are opened with where there
// is no hub; the zero value opens public ones, and none over ssh.
type OfflineCredentials struct {
	// Logins uses what the person at this machine is signed in with.
	Logins bool
	// Known are repository Secrets; nil for none.
	Known *source.Credentials
	// Advice is what to do where a server lets nobody in.
	Advice string
}

// options are those of the fetch stage with them.
func (c OfflineCredentials) options(o source.Options) source.Options {
	o.Logins, o.NoKeys, o.SignIn = c.Logins, !c.Logins, c.Advice
	if c.Known != nil {
		o.Credentials = c.Known
	}
	return o
}

// placedSecret is a Secret with the place where it is written, if that is a file.
type placedSecret struct {
	corev1.Secret

	at gitops.Origin
}

// ofCluster are Secrets that no file has.
func ofCluster(secrets []corev1.Secret) []placedSecret {
	out := make([]placedSecret, 0, len(secrets))
	for i := range secrets {
		out = append(out, placedSecret{Secret: secrets[i]})
	}
	return out
}

// accessOf is what Secrets and ConfigMaps say of repositories, and why some
// Secrets say nothing.
func accessOf(secrets []placedSecret, trust source.Trust) (*source.Credentials, []error) {
	known := &source.Credentials{}
	var all []source.Repository
	var errs []error
	for i := range secrets {
		r, err := source.ParseRepository(&secrets[i].Secret)
		if err != nil {
			errs = append(errs, gitops.Problemf(gitops.Invalid, "%w", err).At(secrets[i].at).Do("correct the key, or take the Secret out"))
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
	scheme, err := hub.NewScheme()
	if err != nil {
		return nil, nil, err
	}
	c, err := client.New(cfg.Hub, client.Options{Scheme: scheme})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	namespace := cmp.Or(cfg.Namespace, defaultNamespace)
	which, err := hub.SecretsOf(v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds)
	if err != nil {
		return nil, nil, err
	}
	var list corev1.SecretList
	if err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: which}); err != nil {
		return nil, nil, fmt.Errorf("cannot list the repository Secrets of namespace %s: %w", namespace, err)
	}
	trust, err := hub.Trust(ctx, c, namespace)
	if err != nil {
		return nil, nil, err
	}
	known, errs := accessOf(ofCluster(list.Items), trust)
	return known, errs, nil
}
