package hub

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Describing selects the Secrets that describe clusters and repositories; the
// engine never reads others.
func Describing() (labels.Selector, error) {
	return SecretsOf(v1alpha1.SecretTypeCluster, v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds)
}

// SecretsOf selects the Secrets of some types.
func SecretsOf(types ...string) (labels.Selector, error) {
	r, err := labels.NewRequirement(v1alpha1.LabelSecretType, selection.In, types)
	if err != nil {
		return nil, fmt.Errorf("cannot select Secrets: %w", err)
	}
	return labels.NewSelector().Add(*r), nil
}
