package observe

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestPushSecretHealth(t *testing.T) {
	conditions := func(status, message string) []any {
		return []any{map[string]any{"type": "Other", "status": "True"}, map[string]any{"type": "Ready", "status": status, "message": message}}
	}
	for name, tc := range map[string]struct {
		reason string
		status map[string]any
		want   gitops.HealthCode
	}{
		"new":      {"nobody has looked at it", nil, gitops.Progressing},
		"pushed":   {"of the newest spec", map[string]any{"conditions": conditions("True", "m"), "syncedResourceVersion": "2-abc"}, gitops.Healthy},
		"older":    {"of the spec before", map[string]any{"conditions": conditions("True", "m"), "syncedResourceVersion": "1-abc"}, gitops.Progressing},
		"operator": {"an older operator tells no version", map[string]any{"conditions": conditions("True", "m")}, gitops.Healthy},
		"other":    {"nor is what has no generation one", map[string]any{"conditions": conditions("True", "m"), "syncedResourceVersion": "abc"}, gitops.Healthy},
		"failed":   {"with the error", map[string]any{"conditions": conditions("False", "m"), "syncedResourceVersion": "1-abc"}, gitops.Degraded},
	} {
		o := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret", "metadata": map[string]any{"name": "p", "generation": int64(2)},
		}}
		if tc.status != nil {
			o.Object["status"] = tc.status
		}
		if got, err := New().Health("", o); err != nil || got.Code != tc.want || got.Code == gitops.Degraded && got.Message != "m" {
			t.Errorf("%s: %s: %v (%v), want %s", name, tc.reason, got, err, tc.want)
		}
	}
}
