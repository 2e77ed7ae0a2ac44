package app

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestOddValuesStopNobody: an Application with a time and a count that the API server takes,
// and Go's own types do not, is one of a list: others go on, also after a start.
func TestOddValuesStopNobody(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/a.yaml": configMapV1})
	app := e.app("app", "app")
	odd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.ApplicationKind,
		"metadata": map[string]any{"name": "odd", "namespace": app.Namespace},
		"spec": map[string]any{
			"project": "default", "destination": map[string]any{"server": "https://kubernetes.default.svc", "namespace": app.Namespace},
			"source": map[string]any{"repoURL": "https://git.example.com/org/none", "path": "a", "kustomize": map[string]any{
				"replicas": []any{map[string]any{"name": "web", "count": int64(3_000_000_000)}},
			}},
		},
		"status": map[string]any{"reconciledAt": "2026-01-01t00:00:00z"},
	}}
	if err := e.Create(t.Context(), odd); err != nil {
		t.Fatal(err)
	}
	e.restart()
	e.until("app", "Synced", good)
}
