package externalsecret

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// TestTimesOfChanges: two changes never have the same time.
func TestTimesOfChanges(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
	r := New(Options{Now: func() time.Time { return now }})
	for before, want := range map[string]string{
		"": "2026-03-04T05:06:07Z", "2026-03-04T05:06:06Z": "2026-03-04T05:06:07Z", "2026-03-04T05:06:07Z": "2026-03-04T05:06:08Z",
		"2026-03-04T06:06:07+01:00": "2026-03-04T05:06:08Z", "2027-01-01T00:00:00Z": "2026-03-04T05:06:07Z", "yesterday": "2026-03-04T05:06:07Z",
	} {
		if got := r.after(before).Format(time.RFC3339); got != want {
			t.Errorf("after %q: %s, want %s", before, got, want)
		}
	}
}

func TestSameValues(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		wanted map[string]any
		want   bool
	}{
		"same":   {"the values that there are", map[string]any{"a": "eA==", "b": ""}, true},
		"other":  {"another value", map[string]any{"a": "eQ==", "b": ""}, false},
		"fewer":  {"a key that goes", map[string]any{"a": "eA=="}, false},
		"more":   {"a key that comes", map[string]any{"a": "eA==", "b": "", "c": ""}, false},
		"broken": {"what the API server refuses", map[string]any{"a": "?", "b": ""}, false},
		"none":   {"no values", nil, false},
	} {
		wanted := &unstructured.Unstructured{Object: map[string]any{"data": tc.wanted}}
		if got := sameValues(wanted, map[string][]byte{"a": []byte("x"), "b": nil}); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}

// TestKeysOfOthers: what others put into a Secret, and what is taken out again, is no change of its values.
func TestKeysOfOthers(t *testing.T) {
	wanted := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"a": "eA=="}}}
	for name, tc := range map[string]struct {
		reason string
		keys   map[string]string
		now    map[string][]byte
		want   bool
	}{
		"others":    {"a key that was never written here", map[string]string{annotationKeys: "a"}, map[string][]byte{"a": []byte("x"), "b": nil}, true},
		"own":       {"a key that was, and goes", map[string]string{annotationKeys: "a,b"}, map[string][]byte{"a": []byte("x"), "b": nil}, false},
		"takes":     {"one of others that becomes its own", map[string]string{annotationKeys: ""}, map[string][]byte{"a": []byte("y")}, false},
		"operators": {"nobody tells whose the keys are", nil, map[string][]byte{"a": []byte("x"), "b": nil}, false},
	} {
		now := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Annotations: tc.keys}, Data: tc.now}
		if got := sameValues(wanted, ownValues(wanted, now)); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}

// TestVersionsThatAreTold: versions of the store's entries, whatever metadata say, as far as there is room for them.
func TestVersionsThatAreTold(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, kind string
		policy       esv1.CreationPolicy
		versions     map[string]string
		want         string
	}{
		"told":    {"as JSON", "Secret", "", map[string]string{"b": "2", "a": "1"}, `{"a":"1","b":"2"}`},
		"none":    {"a provider without versions", "Secret", "", nil, ""},
		"shared":  {"a Secret that several write", "Secret", esv1.CreateMerge, map[string]string{"a": "1"}, ""},
		"config":  {"no Secret", "ConfigMap", "", map[string]string{"a": "1"}, ""},
		"too far": {"more than annotations have room for", "Secret", "", map[string]string{strings.Repeat("a", mostVersions): "1"}, ""},
	} {
		wanted := &unstructured.Unstructured{Object: map[string]any{"kind": tc.kind}}
		wanted.SetAnnotations(map[string]string{esv1.AnnotationVersions: "mine", esv1.AnnotationChanged: "never", "team": "a"})
		tellVersions(&esv1.ExternalSecret{Spec: esv1.ExternalSecretSpec{Target: esv1.ExternalSecretTarget{CreationPolicy: tc.policy}}}, wanted, tc.versions)
		got := wanted.GetAnnotations()
		if _, there := got[esv1.AnnotationChanged]; there || got[esv1.AnnotationVersions] != tc.want || got["team"] != "a" {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}
