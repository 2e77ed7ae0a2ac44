package gitops

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMark(t *testing.T) {
	long := strings.Repeat("a", 62) + "-b"
	cases := map[string]struct {
		reason              string
		tracking            Tracking
		app                 string
		labels, annotations map[string]string
	}{
		"Default":      {"by annotation when nothing is said", Tracking{}, "demo", nil, map[string]string{AnnotationTracking: "demo:/ConfigMap:n/a"}},
		"Label":        {"Argo CD's label alone", Tracking{Method: TrackByLabel}, "demo", map[string]string{LabelInstance: "demo"}, nil},
		"OwnLabel":     {"an installation may name the label", Tracking{Method: TrackByLabel, Label: "example.com/app"}, "demo", map[string]string{"example.com/app": "demo"}, nil},
		"Owning":       {"this engine never goes by the label alone", Tracking{Method: TrackByLabel}.Owning(), "demo", map[string]string{LabelInstance: "demo"}, map[string]string{AnnotationTracking: "demo:/ConfigMap:n/a"}},
		"Long":         {"a label holds 63 characters and ends with none of the signs", Tracking{Method: TrackByLabel}, long, map[string]string{LabelInstance: strings.Repeat("a", 62)}, nil},
		"Installation": {"two installations on one cluster", Tracking{Installation: "i1"}, "demo", nil, map[string]string{AnnotationTracking: "demo:/ConfigMap:n/a", AnnotationInstallation: "i1"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			metadata := map[string]any{"name": "a"}
			o := &unstructured.Unstructured{Object: map[string]any{"kind": "ConfigMap", "metadata": metadata}}
			tc.tracking.Mark(o, tc.app, Key{Kind: "ConfigMap", Namespace: "n", Name: "a"})
			if diff := cmp.Diff(tc.labels, o.GetLabels()); diff != "" {
				t.Errorf("%s: labels %s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.annotations, o.GetAnnotations()); diff != "" {
				t.Errorf("%s: annotations %s", tc.reason, diff)
			}
		})
	}
}

// TestMarkDropsAnotherInstallation has a manifest that was exported from a cluster: what is applied is this
// installation's, and found again as such.
func TestMarkDropsAnotherInstallation(t *testing.T) {
	own := map[string]any{AnnotationInstallation: "other", "a": "b"}
	for installation, want := range map[string]string{"": "", "i1": "i1"} {
		o := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a", "annotations": own}}}
		Tracking{Installation: installation}.Mark(o, "demo", Key{Kind: "ConfigMap", Namespace: "n", Name: "a"})
		got, there := o.GetAnnotations()[AnnotationInstallation]
		if got != want || there != (want != "") || o.GetAnnotations()["a"] != "b" {
			t.Errorf("in installation %q, the annotations are %v", installation, o.GetAnnotations())
		}
	}
	if own[AnnotationInstallation] != "other" {
		t.Error("the map of the manifest was changed")
	}
}

func TestMarkLeavesDefinitions(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a"}}}
	Tracking{Method: TrackByBoth}.Mark(o, "demo", Key{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "a"})
	if len(o.GetAnnotations())+len(o.GetLabels()) > 0 {
		t.Error("definitions outlive the applications that bring them")
	}
}

// TestDisownOfNothing: an object without metadata, or with such as are none, has no
// mark, and stays as it is.
func TestDisownOfNothing(t *testing.T) {
	for _, object := range []map[string]any{{}, {"metadata": nil}, {"metadata": "x"}, {"metadata": map[string]any{}}, {"metadata": map[string]any{"annotations": "x"}}} {
		o := &unstructured.Unstructured{Object: maps.Clone(object)}
		if took := (Tracking{Installation: "i1"}).Disown(o, "demo"); len(took) > 0 || fmt.Sprint(o.Object) != fmt.Sprint(object) {
			t.Errorf("of %v it took %v: %v", object, took, o.Object)
		}
	}
}

// TestDisown: what gets no mark keeps that of its own application, and loses
// what would have another one delete it, whatever it is written in.
func TestDisown(t *testing.T) {
	const definition = ":apiextensions.k8s.io/CustomResourceDefinition:n/a"
	tests := map[string]struct {
		installation string
		annotations  map[string]any
		want         map[string]string
	}{
		"Others":            {"", map[string]any{AnnotationTracking: "blue" + definition, "a": "b"}, map[string]string{"a": "b"}},
		"OthersAlone":       {"", map[string]any{AnnotationTracking: "blue" + definition}, nil},
		"Own":               {"", map[string]any{AnnotationTracking: "demo" + definition}, map[string]string{AnnotationTracking: "demo" + definition}},
		"NoID":              {"", map[string]any{AnnotationTracking: "demo"}, nil},
		"Namesake":          {"i1", map[string]any{AnnotationTracking: "demo" + definition}, nil},
		"NamesakeElsewhere": {"i1", map[string]any{AnnotationTracking: "demo" + definition, AnnotationInstallation: "other"}, nil},
		"OwnWhole":          {"i1", map[string]any{AnnotationTracking: "demo" + definition, AnnotationInstallation: "i1"}, map[string]string{AnnotationTracking: "demo" + definition, AnnotationInstallation: "i1"}},
		"OtherInstallation": {"", map[string]any{AnnotationInstallation: "other", "a": "b"}, map[string]string{"a": "b"}},
		"OwnInstallation":   {"i1", map[string]any{AnnotationInstallation: "i1"}, map[string]string{AnnotationInstallation: "i1"}},
		"None":              {"i1", nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			metadata := map[string]any{"name": "a"}
			if tc.annotations != nil {
				metadata["annotations"] = tc.annotations
			}
			before := maps.Clone(tc.annotations)
			o := &unstructured.Unstructured{Object: map[string]any{"metadata": metadata}}
			took := Tracking{Installation: tc.installation}.Disown(o, "demo")
			if got := o.GetAnnotations(); !maps.Equal(got, tc.want) || len(took) != len(before)-len(tc.want) {
				t.Errorf("the annotations are %v, want %v (took %v)", got, tc.want, took)
			}
			if !maps.Equal(tc.annotations, before) {
				t.Error("the map of the manifest was changed")
			}
		})
	}
}
