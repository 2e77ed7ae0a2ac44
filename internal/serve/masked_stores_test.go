package serve

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestStoresAreMasked: what a store of the provider fake holds is not shown on either side, also not in the copy that
// kubectl keeps of it.
func TestStoresAreMasked(t *testing.T) {
	store := func(value string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore",
			"metadata": map[string]any{"name": "s", "annotations": map[string]any{gitops.AnnotationLastApplied: value}},
			"spec":     map[string]any{"provider": map[string]any{"fake": map[string]any{"data": []any{map[string]any{"key": "shown", "value": value}}}}},
		}}
	}
	target := store("planted-1")
	wanted, live, err := (&masker{}).over(gitops.KeyOf(target), target, store("planted-2"))
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(wanted, live); strings.Contains(text, "planted") || !strings.Contains(text, "shown") {
		t.Errorf("it shows %s", text)
	}
	if !strings.Contains(fmt.Sprint(target), "planted-1") {
		t.Error("the object itself was changed")
	}
}
