package difference

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestVastQuantities: what would be a number of a million digits is compared as it is
// written, and so is all of its object.
func TestVastQuantities(t *testing.T) {
	limits := func(cpu string) map[string]any {
		return map[string]any{"resources": map[string]any{"limits": map[string]any{"cpu": cpu}}, "name": "main"}
	}
	pod := func(cpu string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"},
			"spec": map[string]any{"containers": []any{limits(cpu)}},
		}}
	}
	const vast = "12345678901234567890e10000000"
	got, err := retyped(pod(vast))
	if err != nil || !cmp.Equal(got, pod(vast)) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err = retyped(pod("1000m")); err != nil || !cmp.Equal(got, pod("1")) {
		t.Errorf("a quantity as people write it: %v, %v", got, err)
	}
	object := map[string]any{"spec": limits(vast)}
	RewriteTyped(object, []gitops.TypedField{{Field: "spec", Type: "core/v1/Container"}})
	if d := cmp.Diff(map[string]any{"spec": limits(vast)}, object); d != "" {
		t.Error(d)
	}
}
