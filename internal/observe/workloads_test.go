package observe

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// That old replicas stay is told with what they wait for: who reads it looks for the cause.
func TestDeploymentThatIsReplaced(t *testing.T) {
	cases := map[string]struct {
		reason      string
		unavailable int64
		want        string
	}{
		"waits": {"new pods are not available", 1, "old replicas that are left: 1; pods that are not available yet: 1"},
		"ends":  {"they end, and nothing is waited for", 0, "old replicas that are left: 1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := deployment(&unstructured.Unstructured{Object: map[string]any{
				"metadata": map[string]any{"name": "web", "generation": int64(2)},
				"spec":     map[string]any{"replicas": int64(1)},
				"status": map[string]any{
					"observedGeneration": int64(2), "replicas": int64(2), "updatedReplicas": int64(1), "availableReplicas": int64(1), "unavailableReplicas": tc.unavailable,
				},
			}})
			if err != nil || got.Code != gitops.Progressing || got.Message != tc.want {
				t.Errorf("%s: got %v, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}
