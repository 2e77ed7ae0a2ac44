package charts_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/deploy/charts"
)

type values = map[string]any

// render makes the chart's objects as `helm install causeway` would, and the notes.
func render(t *testing.T, namespace string, given values) (objects []*unstructured.Unstructured, notes string) {
	t.Helper()
	objects, notes, err := tryRender(namespace, given)
	if err != nil {
		t.Fatal(err)
	}
	return objects, notes
}

func tryRender(namespace string, given values) (objects []*unstructured.Unstructured, notes string, err error) {
	release := charts.Release{Name: "causeway", Namespace: namespace, Values: given}
	objects, err = release.Objects()
	if err != nil {
		return nil, "", err
	}
	texts, err := charts.Texts(release)
	return objects, texts["causeway/templates/NOTES.txt"], err
}

// find returns the objects of a kind, typed.
func find[T any](t *testing.T, objects []*unstructured.Unstructured, kind string) []T {
	t.Helper()
	var out []T
	for _, o := range objects {
		if o.GetKind() != kind {
			continue
		}
		var typed T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, &typed, true); err != nil {
			t.Fatalf("%s %s: %v", kind, o.GetName(), err)
		}
		out = append(out, typed)
	}
	return out
}
