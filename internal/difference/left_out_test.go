package difference

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestForgetPointer(t *testing.T) {
	const object = `{a: {b: 1, c/d: 2, e~f: 3, "": 4}, l: [{x: 1, w: 1}, {x: 2}, 3], o: null, t: text}`
	cases := map[string]struct{ reason, pointer, want string }{
		"Field":    {"a field", "/a/b", `{a: {c/d: 2, e~f: 3, "": 4}, l: [{x: 1, w: 1}, {x: 2}, 3], o: null, t: text}`},
		"Whole":    {"all below it", "/a", `{l: [{x: 1, w: 1}, {x: 2}, 3], o: null, t: text}`},
		"Slash":    {"a slash in a name is escaped", "/a/c~1d", `{a: {b: 1, e~f: 3, "": 4}, l: [{x: 1, w: 1}, {x: 2}, 3], o: null, t: text}`},
		"Tilde":    {"and so is its own sign", "/a/e~0f", `{a: {b: 1, c/d: 2, "": 4}, l: [{x: 1, w: 1}, {x: 2}, 3], o: null, t: text}`},
		"NoName":   {"a name may be empty", "/a/", `{a: {b: 1, c/d: 2, e~f: 3}, l: [{x: 1, w: 1}, {x: 2}, 3], o: null, t: text}`},
		"Item":     {"an item goes, and those behind it close up", "/l/0", `{a: {b: 1, c/d: 2, e~f: 3, "": 4}, l: [{x: 2}, 3], o: null, t: text}`},
		"InItem":   {"a field of an item", "/l/0/w", `{a: {b: 1, c/d: 2, e~f: 3, "": 4}, l: [{x: 1}, {x: 2}, 3], o: null, t: text}`},
		"Last":     {"a place may be counted from the end", "/l/-1", `{a: {b: 1, c/d: 2, e~f: 3, "": 4}, l: [{x: 1, w: 1}, {x: 2}], o: null, t: text}`},
		"Null":     {"what is nothing is there", "/o", `{a: {b: 1, c/d: 2, e~f: 3, "": 4}, l: [{x: 1, w: 1}, {x: 2}, 3], t: text}`},
		"Beyond":   {"no item has the place", "/l/3", object},
		"Before":   {"nor one before the first", "/l/-4", object},
		"NoNumber": {"an item has no name", "/l/x", object},
		"End":      {"nor is what comes after the last there", "/l/-", object},
		"Absent":   {"a field that is not there", "/x/b", object},
		"Through":  {"a text has no fields", "/t/b", object},
		"InNull":   {"nor has nothing", "/o/b", object},
		"InNumber": {"nor a number in a list", "/l/2/x", object},
		"NoSlash":  {"what begins with no slash is no pointer", "a/b", object},
		"Nothing":  {"the whole object is not left out", "", object},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := manifestOf(t, object)
			shared := got["l"].([]any)
			before := runtime.DeepCopyJSONValue(shared)
			ForgetPointer(got, tc.pointer)
			if diff := cmp.Diff(manifestOf(t, tc.want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if !strings.HasPrefix(tc.pointer, "/l/0/") && !cmp.Equal(before, any(shared)) {
				t.Errorf("%s: a list that others may have is changed", tc.reason)
			}
		})
	}
}

// manifestOf is what an object has.
func manifestOf(t *testing.T, text string) map[string]any {
	t.Helper()
	out := parsed(t, text).Object
	out["kind"] = "X"
	out = asObject(t, out).Object
	delete(out, "kind")
	return out
}

// An escape is read once: "~01" is "~1", no slash.
func TestPointerParts(t *testing.T) {
	for pointer, want := range map[string][]string{"": nil, "a": nil, "/": {""}, "/~01": {"~1"}, "/a//b": {"a", "", "b"}, "/~1~0": {"/~"}} {
		if got := PointerParts(pointer); !cmp.Equal(got, want) {
			t.Errorf("%q has the parts %q, want %q", pointer, got, want)
		}
	}
}

func TestContent(t *testing.T) {
	const last = "kubectl.kubernetes.io/last-applied-configuration"
	cases := map[string]struct{ reason, object, whole string }{
		"Server": {
			"what the API server keeps for itself", "{metadata: {name: a, uid: x, resourceVersion: '7', generation: 3, creationTimestamp: x, selfLink: x, managedFields: [{}], labels: {a: b}}}",
			"{metadata: {name: a, labels: {a: b}}}",
		},
		"LastApplied": {"what kubectl keeps", "{metadata: {annotations: {" + last + ": x, a: b}}}", "{metadata: {annotations: {a: b}}}"},
		"NoneLeft":    {"without any other annotation there are none", "{metadata: {annotations: {" + last + ": x}}}", "{metadata: {}}"},
		"Deleted":     {"that somebody deletes it is seen", "{metadata: {deletionTimestamp: x, finalizers: [a]}}", "{metadata: {deletionTimestamp: x, finalizers: [a]}}"},
		"Below":       {"in what is below nothing is left out", "{spec: {template: {metadata: {uid: x, generation: 1}, status: {}}}}", "{spec: {template: {metadata: {uid: x, generation: 1}, status: {}}}}"},
		"NoMetadata":  {"what has none stays", "{metadata: x}", "{metadata: x}"},
		"Odd":         {"nor have odd ones", "{metadata: {annotations: [a]}}", "{metadata: {annotations: [a]}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := manifestOf(t, tc.object)
			object["status"] = map[string]any{"a": int64(1)}
			before := runtime.DeepCopyJSON(object)
			if diff := cmp.Diff(manifestOf(t, tc.whole), Content(object)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			whole := manifestOf(t, tc.whole)
			whole["status"] = map[string]any{"a": int64(1)}
			if diff := cmp.Diff(whole, Whole(object)); diff != "" {
				t.Errorf("%s, with the status (-want +got):\n%s", tc.reason, diff)
			}
			if !cmp.Equal(before, object) {
				t.Error("the object was changed")
			}
		})
	}
}

func TestForgetJQ(t *testing.T) {
	object := sample().Object
	got, err := ForgetJQ(t.Context(), object, []string{`.spec.template.spec.containers[] | select(.name == "web")`, ".spec.none", ".spec.replicas"})
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	ForgetPointer(want.Object, "/spec/template/spec/containers/0")
	ForgetPointer(want.Object, "/spec/replicas")
	if diff := cmp.Diff(want.Object, got); diff != "" {
		t.Errorf("each takes out of what those before it left (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sample().Object, object); diff != "" {
		t.Errorf("the object was changed:\n%s", diff)
	}
	if _, err := ForgetJQ(t.Context(), object, []string{".spec", ".["}); err == nil || !strings.Contains(err.Error(), ".[") {
		t.Errorf("one that cannot be read: %v", err)
	}
}

// A pattern of an Application's rule that cannot be read matches what is written so.
func TestPatternsOfRules(t *testing.T) {
	for pattern, want := range map[string]map[string]bool{
		"apps":  {"apps": true, "apps.x": false, "": false},
		"":      {"": true, "apps": false},
		"*":     {"": true, "apps": true},
		"*.io":  {"argoproj.io": true, "argoproj.iox": false},
		"[apps": {"[apps": true, "apps": false},
		"?":     {"a": true, "?": true, "ab": false},
	} {
		for group, matches := range want {
			rules, err := NewRules("red", v1alpha1.IgnoreDifferences{{Group: pattern, Kind: "*", JSONPointers: []string{"/x"}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(rules.OfKind(group, "Any")) > 0; got != matches {
				t.Errorf("%q matches the group %q: %v", pattern, group, got)
			}
		}
	}
}

// A rule is of one object, or of those of one namespace, where it says so.
func TestRulesOfOneObject(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, name, namespace string
		ignored                 bool
	}{
		"All":       {"of all", "", "", true},
		"Name":      {"of its name", "web", "", true},
		"Both":      {"of its name there", "web", "shop", true},
		"Other":     {"of another", "we*", "", false},
		"Elsewhere": {"of one elsewhere", "web", "bank", false},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := NewRules("red", v1alpha1.IgnoreDifferences{{Group: "apps", Kind: "Deployment", Name: tc.name, Namespace: tc.namespace, JSONPointers: []string{"/spec/replicas"}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			live := sample()
			ForgetPointer(live.Object, "/spec/replicas")
			got, err := Of(t.Context(), Input{Desired: sample(), Live: live, Rules: rules})
			if err != nil || got.Modified == tc.ignored {
				t.Errorf("%s: modified %v, %v", tc.reason, got.Modified, err)
			}
		})
	}
}

// The annotation of a manifest counts for its object alone, and a live object's own does not.
func TestAnnotationOfOneObject(t *testing.T) {
	const pointers = "jsonPointers: [/spec/replicas]"
	for name, tc := range map[string]struct {
		reason, git, live string
		modified          bool
	}{
		"Git":  {"the manifest says it", pointers, pointers, false},
		"Live": {"whoever may write the object does not", "", pointers, true},
		"Long": {"nor counts one that is longer than anybody means", pointers + strings.Repeat(" ", gitops.MaxSteering), pointers + strings.Repeat(" ", gitops.MaxSteering), true},
		"Odd":  {"nor one that names other things", "jsonPointers: {a: b}", "jsonPointers: {a: b}", true},
	} {
		t.Run(name, func(t *testing.T) {
			desired, live := sample(), sample()
			live.Object["spec"].(map[string]any)["replicas"] = int64(9)
			if tc.git != "" {
				desired.SetAnnotations(map[string]string{AnnotationIgnore: tc.git})
			}
			live.SetAnnotations(map[string]string{AnnotationIgnore: tc.live})
			got, err := Of(t.Context(), Input{Desired: desired, Live: live})
			if err != nil || got.Modified != tc.modified {
				t.Errorf("%s: modified %v, %v", tc.reason, got.Modified, err)
			}
		})
	}
}
