package declare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestWriteOnlyValuesAreInNoObject: what a write-only attribute says is taken out
// of the object, where a manifest or another attribute has that key as well. With
// the key in it, a refresh would keep there what the cluster has.
func TestWriteOnlyValuesAreInNoObject(t *testing.T) {
	w := wanted{
		object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret",
			"data":       map[string]any{"password": "eA==", "kept": "eA=="},
			"stringData": map[string]any{"proxy": "http://proxy.example.com", "token": "x", "url": "https://git.example.com"},
		}},
		secrets: map[string]string{"password": "new", "proxy": "http://robot:new@proxy.example.com"},
		unsaid:  map[string]bool{"token": true},
	}
	w.hide()
	want := map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"data":       map[string]any{"kept": "eA=="},
		"stringData": map[string]any{"url": "https://git.example.com"},
	}
	if diff := cmp.Diff(want, w.object.Object); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	data, _, _ := unstructured.NestedStringMap(w.sent().Object, "data")
	if data["proxy"] != "aHR0cDovL3JvYm90Om5ld0Bwcm94eS5leGFtcGxlLmNvbQ==" || data["password"] != "bmV3" || data["kept"] != "eA==" {
		t.Errorf("what is sent has the keys %v", data)
	}
}

// TestEmptyMetadataIsNone: labels and annotations without a key are not there once the
// API server has the object, and would be a change of each plan.
func TestEmptyMetadataIsNone(t *testing.T) {
	k := Kind{Type: "x", APIVersion: "v1", Kind: "ConfigMap", Fields: []Field{
		{Name: "name", Path: "metadata.name"}, {Name: "labels", Path: "metadata.labels", Shape: TextMap}, {Name: "annotations", Path: "metadata.annotations", Shape: TextMap},
		{Name: "data", Path: "data", Shape: TextMap},
	}}
	none := map[string]any{}
	o, err := k.build(map[string]any{"name": "a", "labels": none, "annotations": map[string]any{"unset": nil}, "data": none}, "argocd")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "argocd"}, "data": none}
	if diff := cmp.Diff(want, o.Object); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
