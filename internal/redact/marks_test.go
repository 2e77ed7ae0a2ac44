package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

type fields = map[string]any

// secretWith is a Secret with fields and annotations.
func secretWith(content, annotations fields) *unstructured.Unstructured {
	o := fields{"apiVersion": "v1", "kind": "Secret", "metadata": fields{"name": "s"}}
	if annotations != nil {
		o["metadata"].(fields)["annotations"] = annotations
	}
	for key, value := range content {
		o[key] = value
	}
	return &unstructured.Unstructured{Object: o}
}

func at(o *unstructured.Unstructured, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	return value
}

// Equal values of one key have equal marks, others have others, in whatever field they
// are written.
func TestMarksTellWhatDiffers(t *testing.T) {
	desired := secretWith(fields{"stringData": fields{"same": "abc", "other": "new", "added": "x"}, "data": fields{"more": "YWJj"}}, nil)
	live := secretWith(fields{"data": fields{"same": "YWJj", "other": "b2xk", "gone": "eA==", "more": "YWJj"}}, nil)
	was := fmt.Sprint(desired, live)
	a, b, err := Marks(desired, live, nil)
	if err != nil {
		t.Fatal(err)
	}
	longer := mark + "++++"
	for name, tc := range map[string]struct {
		reason    string
		got, want any
	}{
		"Desired": {"stringData is in data", at(a, "data"), fields{"same": mark, "other": mark, "added": mark, "more": mark}},
		"Live":    {"what differs is longer", at(b, "data"), fields{"same": mark, "other": longer, "gone": mark, "more": mark}},
		"Folded":  {"it is nowhere else", at(a, "stringData"), nil},
		"Given":   {"the objects stay", fmt.Sprint(desired, live), was},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s: %s: -want +got:\n%s", name, tc.reason, diff)
		}
	}
}

// Values of odd forms are marked as a whole.
func TestMarksOfOddValues(t *testing.T) {
	desired := secretWith(fields{"data": fields{"null": nil, "empty": "", "map": fields{"a": "hunter2"}, "number": int64(5)}}, nil)
	live := secretWith(fields{"data": fields{"null": "", "number": "5"}}, nil)
	a, b, err := Marks(desired, live, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, diff := range []string{
		cmp.Diff(fields{"null": mark, "empty": mark, "map": mark, "number": mark}, at(a, "data")),
		cmp.Diff(fields{"null": mark, "number": mark}, at(b, "data")),
	} {
		if diff != "" {
			t.Errorf("nothing is the same as an empty text: -want +got:\n%s", diff)
		}
	}
	if only, none, err := Marks(desired, nil, nil); err != nil || none != nil || !cmp.Equal(at(only, "data"), at(a, "data")) {
		t.Errorf("by itself it is %v beside %v: %v", only, none, err)
	}
}

// What was last applied is a copy of the values: it is masked with the same marks, or
// as a whole if it cannot be read as a Secret.
func TestMarksInWhatWasLastApplied(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, applied string
		annotations     []string
		want            string
	}{
		"Readable":    {"an equal value has an equal mark", `{"apiVersion":"v1","kind":"Secret","data":{"p":"aHVudGVyMg=="}}`, nil, `{"apiVersion":"v1","data":{"p":"++++++++"},"kind":"Secret"}`},
		"Plain":       {"it has stringData", `{"apiVersion":"v1","kind":"Secret","stringData":{"p":"hunter2-old"}}`, nil, `{"apiVersion":"v1","data":{"p":"++++++++++++"},"kind":"Secret"}`},
		"Cut":         {"it is no JSON", `{"apiVersion":"v1","kind":"Secret","stringData":{"p":"hunter2`, nil, mark},
		"No kind":     {"it does not say what it is", `{"stringData":{"p":"hunter2"}}`, nil, mark},
		"Other kind":  {"of another kind it is not known what is secret", `{"apiVersion":"e.com/v1","kind":"Secret","stringData":{"p":"hunter2"}}`, nil, mark},
		"Named":       {"the settings name the annotation", `{"apiVersion":"v1","kind":"Secret","data":{"p":"aHVudGVyMg=="}}`, []string{gitops.AnnotationLastApplied}, mark},
		"Annotations": {"it has annotations that are named", `{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"note":"hunter2"}}}`, []string{"note"}, `{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"note":"++++++++"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			live := secretWith(fields{"data": fields{"p": "aHVudGVyMg=="}}, fields{gitops.AnnotationLastApplied: tc.applied})
			_, got, err := Marks(nil, live, tc.annotations)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, strings.TrimSpace(got.GetAnnotations()[gitops.AnnotationLastApplied])); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// An annotation that is no text takes others from no mask.
func TestMarksBesideAnAnnotationOfAnotherForm(t *testing.T) {
	desired := secretWith(nil, fields{"count": int64(5), gitops.AnnotationLastApplied: `{"stringData":{"p":"hunter2"}}`, "note": "hunter2"})
	got, _, err := Marks(desired, nil, []string{"note", "none"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fields{"count": int64(5), gitops.AnnotationLastApplied: mark, "note": mark}, at(got, "metadata", "annotations")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Of what has no keys nothing can be compared, and it is not shown either.
func TestMarksRefuseDataWithoutKeys(t *testing.T) {
	sound := secretWith(fields{"data": fields{"p": "eA=="}}, nil)
	for name, tc := range map[string]struct {
		reason        string
		desired, live *unstructured.Unstructured
		want          string
	}{
		"Text":   {"a text in Git", secretWith(fields{"data": "hunter2"}, nil), nil, "cannot mask data: it is no map"},
		"List":   {"a list beside a sound one", secretWith(fields{"stringData": []any{"hunter2"}}, nil), sound, "cannot mask stringData: it is no map"},
		"Origin": {"what was last applied", nil, secretWith(nil, fields{gitops.AnnotationLastApplied: `{"apiVersion":"v1","kind":"Secret","data":"hunter2"}`}), "cannot mask data: it is no map"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, err := Marks(tc.desired, tc.live, nil)
			if a != nil || b != nil || err == nil || err.Error() != tc.want {
				t.Errorf("%s: got %v beside %v, and %v", tc.reason, a, b, err)
			}
		})
	}
	if a, _, err := Marks(secretWith(fields{"data": nil}, nil), sound, nil); err != nil || at(a, "data") != nil {
		t.Errorf("a Secret without data is no mistake: %v, %v", a, err)
	}
}
