package v1alpha1

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, gvk := range []schema.GroupVersionKind{ApplicationGVK, ApplicationSetGVK, AppProjectGVK} {
		for _, kind := range []schema.GroupVersionKind{gvk, gvk.GroupVersion().WithKind(gvk.Kind + "List")} {
			if _, err := scheme.New(kind); err != nil {
				t.Errorf("the scheme does not know %s: %v", kind, err)
			}
		}
	}
}
