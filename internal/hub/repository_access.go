package hub

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
)

// WrittenSecret is a repository Secret with the place in a file where it is written.
type WrittenSecret struct {
	corev1.Secret

	At gitops.Origin
}

// Access is what Secrets and ConfigMaps say of repositories, and why some Secrets
// say nothing.
func Access(secrets []corev1.Secret, trust source.Trust) (*source.Credentials, []error) {
	placed := make([]WrittenSecret, 0, len(secrets))
	for i := range secrets {
		placed = append(placed, WrittenSecret{Secret: secrets[i]})
	}
	return AccessWritten(placed, trust)
}

// AccessWritten is Access for Secrets of files, whose errors have the place.
func AccessWritten(secrets []WrittenSecret, trust source.Trust) (*source.Credentials, []error) {
	known := &source.Credentials{}
	var all []source.Repository
	var errs []error
	for i := range secrets {
		r, err := source.ParseRepository(&secrets[i].Secret)
		if err != nil {
			errs = append(errs, gitops.Problemf(gitops.Invalid, "%w", err).At(secrets[i].At).Do("correct the key, or take the Secret out"))
			continue
		}
		all = append(all, r)
	}
	known.Replace(all)
	known.Trust(trust)
	return known, errs
}

// ReadRepositories reads the repository Secrets of an installation, and which hosts
// it believes. The errors are those of Secrets that say nothing.
func ReadRepositories(ctx context.Context, config *rest.Config, namespace string) (*source.Credentials, []error, error) {
	scheme, err := NewScheme()
	if err != nil {
		return nil, nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	which, err := SecretsOf(v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds)
	if err != nil {
		return nil, nil, err
	}
	var list corev1.SecretList
	if err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: which}); err != nil {
		return nil, nil, fmt.Errorf("cannot list the repository Secrets of namespace %s: %w", namespace, err)
	}
	trust, err := Trust(ctx, c, namespace)
	if err != nil {
		return nil, nil, err
	}
	known, errs := Access(list.Items, trust)
	return known, errs, nil
}
