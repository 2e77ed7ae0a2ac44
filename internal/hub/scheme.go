package hub

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causewayv1alpha1 "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// NewScheme knows the kinds that the engine itself reads and writes. Objects
// of applications are handled without a scheme.
func NewScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	if err := corev1.AddToScheme(s); err != nil {
		return nil, err
	}
	if err := v1alpha1.AddToScheme(s); err != nil {
		return nil, err
	}
	return s, causewayv1alpha1.AddToScheme(s)
}
