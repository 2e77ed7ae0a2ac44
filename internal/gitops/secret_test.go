package gitops

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// object is what some JSON says.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestNormalizeSecret(t *testing.T) {
	cases := map[string]struct{ reason, secret, want string }{
		"Texts":     {"a text is encoded", `{"stringData": {"a": "x"}}`, `{"data": {"a": "eA=="}}`},
		"Both":      {"and wins over what is encoded already", `{"data": {"a": "eQ==", "b": "eQ=="}, "stringData": {"a": "x"}}`, `{"data": {"a": "eA==", "b": "eQ=="}}`},
		"Unicode":   {"as bytes", `{"stringData": {"a": "é"}}`, `{"data": {"a": "w6k="}}`},
		"Empty":     {"an empty text is one", `{"stringData": {"a": ""}}`, `{"data": {"a": ""}}`},
		"Null":      {"a value of nothing is an empty text", `{"data": {"a": null}}`, `{"data": {"a": ""}}`},
		"NoTexts":   {"no texts are no data", `{"stringData": {}}`, `{"data": null}`},
		"NoData":    {"an empty map is none", `{"data": {}}`, `{"data": null}`},
		"Nothing":   {"what has neither stays", `{"type": "Opaque"}`, `{"type": "Opaque"}`},
		"Lines":     {"how it is encoded does not count", `{"data": {"a": "eHh4\neHh4"}}`, `{"data": {"a": "eHh4eHh4"}}`},
		"NoBase64":  {"what is not encoded is no Secret, and stays", `{"data": {"a": "%"}}`, `{"data": {"a": "%"}}`},
		"OddTexts":  {"a text that is a number stays what it is", `{"stringData": {"a": true}}`, `{"data": {"a": true}}`},
		"OddField":  {"and so do data that are a list", `{"data": ["a"]}`, `{"data": ["a"]}`},
		"NullTexts": {"and texts that are nothing", `{"stringData": null, "data": {"a": "eA=="}}`, `{"stringData": null, "data": {"a": "eA=="}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := object(t, tc.secret)
			NormalizeSecret(o)
			if diff := cmp.Diff(object(t, tc.want), o); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			once := o.DeepCopy()
			if NormalizeSecret(o); !cmp.Equal(once, o) {
				t.Errorf("%s: again it is %v", tc.reason, o)
			}
		})
	}
}

func TestLastApplied(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		known        bool
	}{
		"Known":   {"what kubectl keeps", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`, true},
		"Broken":  {"what cannot be read is not known", `{"apiVersion"`, false},
		"Empty":   {"nor is nothing", "", false},
		"NoKind":  {"nor what is no object", `{"metadata": {"name": "a"}}`, false},
		"NoMap":   {"nor a list", `[]`, false},
		"Missing": {"nor what is not there", "missing", false},
	} {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		if tc.text != "missing" {
			o.SetAnnotations(map[string]string{AnnotationLastApplied: tc.text})
		}
		if got := LastApplied(o); (got != nil) != tc.known || got != nil && got.GetName() != "a" {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// The hash of an object is that of what people mean by it.
func TestContentOf(t *testing.T) {
	const object1 = `{"kind": "A", "metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"a": 1}}`
	for name, tc := range map[string]struct {
		reason, other string
		same          bool
	}{
		"Order":      {"the order of fields does not count", `{"spec": {"a": 1}, "metadata": {"labels": {"x": "y"}, "name": "a"}, "kind": "A"}`, true},
		"Status":     {"nor does the status", `{"kind": "A", "metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"a": 1}, "status": {"b": 1}}`, true},
		"Server":     {"nor what the API server counts", `{"kind": "A", "metadata": {"name": "a", "labels": {"x": "y"}, "resourceVersion": "7", "generation": 3, "managedFields": []}, "spec": {"a": 1}}`, true},
		"Field":      {"a field does", `{"kind": "A", "metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"a": 2}}`, false},
		"Label":      {"and a label", `{"kind": "A", "metadata": {"name": "a", "labels": {"x": "z"}}, "spec": {"a": 1}}`, false},
		"Generation": {"and what is called so elsewhere", `{"kind": "A", "metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"a": 1, "generation": 1}}`, false},
		"Anew":       {"and that the object is another one", `{"kind": "A", "metadata": {"name": "a", "labels": {"x": "y"}, "uid": "u"}, "spec": {"a": 1}}`, false},
		"NoMetadata": {"and that it has no metadata", `{"kind": "A", "metadata": "x"}`, false},
	} {
		other := object(t, tc.other)
		before := other.DeepCopy()
		if same := ContentOf(object(t, object1)) == ContentOf(other); same != tc.same {
			t.Errorf("%s: %s: %v", name, tc.reason, same)
		}
		if diff := cmp.Diff(before, other); diff != "" {
			t.Errorf("%s: the object was changed:\n%s", name, diff)
		}
	}
	if got := ContentOf(&unstructured.Unstructured{Object: map[string]any{"a": func() {}}}); got != "" {
		t.Errorf("what is no JSON has the content %q", got)
	}
}
