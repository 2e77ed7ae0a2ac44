package declare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestCheck: what the API server would refuse is refused where a plan is made,
// in words that name the key.
func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		metadata map[string]any
		want     string // part of the error; empty for none
	}{
		"Good":            {map[string]any{"name": "dev", "labels": map[string]any{"a.example.org/b": "x_1", "empty": ""}, "annotations": map[string]any{"any": "text: of {every} kind\n"}}, ""},
		"NoName":          {map[string]any{}, "metadata.name in manifest"},
		"Name":            {map[string]any{"name": "Dev"}, `"Dev" cannot name an object`},
		"Path":            {map[string]any{"name": "../other"}, `"../other" cannot name an object`},
		"LabelKey":        {map[string]any{"name": "dev", "labels": map[string]any{"a b": "x"}}, `"a b" cannot be the key of a label`},
		"LabelValue":      {map[string]any{"name": "dev", "labels": map[string]any{"region": "eu west"}}, `value of label region`},
		"LabelLong":       {map[string]any{"name": "dev", "labels": map[string]any{"arn": strings.Repeat("a", 64)}}, "An annotation can hold any text"},
		"LabelBool":       {map[string]any{"name": "dev", "labels": map[string]any{"on": true}}, "the value of on is no text: put it in quotes"},
		"LabelsList":      {map[string]any{"name": "dev", "labels": []any{"a"}}, "metadata.labels is no map"},
		"AnnotationKey":   {map[string]any{"name": "dev", "annotations": map[string]any{"-": "x"}}, `"-" cannot be the key of an annotation`},
		"AnnotationCase":  {map[string]any{"name": "dev", "annotations": map[string]any{"Example.org/Key": "x"}}, ""},
		"AnnotationSize":  {map[string]any{"name": "dev", "annotations": map[string]any{"k": strings.Repeat("x", maxAnnotations)}}, "an object has at most 262144"},
		"AnnotationWhole": {map[string]any{"name": "dev", "annotations": map[string]any{"k": strings.Repeat("x", maxAnnotations-1)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := check(&unstructured.Unstructured{Object: map[string]any{"metadata": tc.metadata}})
			switch {
			case err == nil && tc.want != "":
				t.Errorf("no error; want one with %q", tc.want)
			case err != nil && (tc.want == "" || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%v; want %q", err, tc.want)
			}
		})
	}
}

// TestDecodeKeepsWholeNumbers: 3.0 of a decoder would be another value than the
// API server's 3, and a difference in each plan.
func TestDecodeKeepsWholeNumbers(t *testing.T) {
	var got map[string]any
	if err := decode([]byte(`{"a": 3, "b": 1.5, "c": [1, {"d": 9007199254740992}], "e": "7", "f": null}`), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": int64(3), "b": 1.5, "c": []any{int64(1), map[string]any{"d": int64(9007199254740992)}}, "e": "7", "f": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := decode([]byte(`[1]`), &got); err == nil {
		t.Error("a list is read as an object")
	}
}
