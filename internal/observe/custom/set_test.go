package custom

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// key is one of those that say something of a kind.
func key(what, kind string) string { return v1alpha1.SettingCustomizations + "." + what + "." + kind }

// says runs the script that is found for a kind, which returns a text.
func says(t *testing.T, s *Set, group, kind string) any {
	t.Helper()
	h := s.Health(schema.GroupKind{Group: group, Kind: kind})
	if h == nil {
		return nil
	}
	got, err := h.Script.Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestWhichKeyCounts: several may be about one kind.
func TestWhichKeyCounts(t *testing.T) {
	const block = `
'*.io/*': {health.lua: return "any of io"}
'a.io/*': {health.lua: return "any of a.io"}
'a.io/Kind': {health.lua: return "by the block"}
'x.io/{Kind,Other}': {health.lua: return "one of two"}
`
	data := map[string]string{v1alpha1.SettingCustomizations: block}
	with := func(more map[string]string) map[string]string {
		out := map[string]string{v1alpha1.SettingCustomizations: block}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	cases := map[string]struct {
		reason, group, kind string
		data                map[string]string
		want                any
	}{
		"Exact":     {"the kind by its name", "a.io", "Kind", data, "by the block"},
		"First":     {"of those with wildcards the first by name", "a.io", "Thing", data, "any of io"},
		"Wildcard":  {"a wildcard spans all parts of a group", "b.a.io", "Thing", data, "any of io"},
		"Choice":    {"one that comes later by name is never asked", "x.io", "Other", data, "any of io"},
		"NoGroup":   {"kinds without a group have no slash", "", "Kind", data, nil},
		"Other":     {"kinds of which nothing is said", "apps", "Deployment", data, nil},
		"Key":       {"a key of its own comes before the block", "a.io", "Kind", with(map[string]string{key("health", "a.io_Kind"): `return "by the key"`}), "by the key"},
		"Elsewhere": {"a key about something else leaves the block's word", "a.io", "Kind", with(map[string]string{key("useOpenLibs", "a.io_Kind"): "true"}), "by the block"},
		"All":       {"all kinds are a wildcard, too", "apps", "Deployment", with(map[string]string{key("health", "all"): `return "all"`}), "all"},
		"KeyOfAll":  {"and one with letters", "apps", "Deployment", map[string]string{key("health", "*_Deployment"): `return "each"`}, "each"},
		"Taken":     {"an empty script takes the word away", "a.io", "Kind", with(map[string]string{key("health", "a.io_Kind"): ""}), "any of io"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(tc.data)
			if err != nil {
				t.Fatal(err)
			}
			if got := says(t, s, tc.group, tc.kind); got != tc.want {
				t.Errorf("%s: got %v; want %v", tc.reason, got, tc.want)
			}
		})
	}
}

// TestWhatCannotBeReadIsNamed with its key: argocd-cm has many.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   map[string]string
		want   string
	}{
		"Kind":        {"no kind at all", map[string]string{key("health", ""): "x"}, key("health", "") + `: "" is no kind: write GROUP_KIND, as in apps_Deployment, or KIND for the core group`},
		"What":        {"something that is not said of kinds", map[string]string{key("helth", "Pod"): "x"}, `there is no customization "helth": it is one of actions, health, ignoreDifferences`},
		"Differences": {"what the comparison reads", map[string]string{key("ignoreDifferences", "Pod"): "jsonPointers: x"}, key("ignoreDifferences", "Pod")},
		"Updates":     {"also in the block", map[string]string{v1alpha1.SettingCustomizations: "Pod: {ignoreResourceUpdates: 'jsonPointers: {}'}"}, v1alpha1.SettingCustomizations + ": Pod: "},
		"Types":       {"fields of a known type", map[string]string{key("knownTypeFields", "Pod"): "field: x"}, key("knownTypeFields", "Pod")},
		"Compare":     {"options of the comparison", map[string]string{v1alpha1.SettingCompareOptions: "ignoreAggregatedRoles: often"}, v1alpha1.SettingCompareOptions},
		"Long":        {"a block that no ConfigMap holds", map[string]string{v1alpha1.SettingCustomizations: strings.Repeat("#", maxSize+1)}, "has more than 1048576 bytes"},
		"Pattern":     {"a kind that is no pattern", map[string]string{v1alpha1.SettingCustomizations: "'a.io/[': {health.lua: return nil}"}, `"a.io/[" is no pattern of kinds`},
		"Definitions": {"actions that are none", map[string]string{key("actions", "Pod"): "definitions: x"}, "actions of Pod"},
		"Both":        {"one way in a block and another one in a key", map[string]string{v1alpha1.SettingCustomizations: "Pod: {health.lua: return nil}", key("readyExpressions", "Pod"): "true"}, "Pod has both health and readyExpressions: remove one of them"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(tc.data)
			if s != nil && err == nil || !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%s: got %v; want %q", tc.reason, err, tc.want)
			}
			if !strings.Contains(err.Error(), "correct ConfigMap argocd-cm") {
				t.Errorf("%s: nobody is told what to correct: %v", tc.reason, err)
			}
		})
	}
}

// TestWhatIsNotOfKindsIsLeftAlone: argocd-cm says other things, too, and keys of other programs.
func TestWhatIsNotOfKindsIsLeftAlone(t *testing.T) {
	s, err := Parse(map[string]string{
		"resource.exclusions": "[", "resource.customizationsX.health.Pod": "x", "url": "https://argocd", "resource.customizations.health": "x",
		key("ignoreDifferences", "all"): "jqPathExpressions: [.spec]", v1alpha1.SettingCustomizations: "# nothing", v1alpha1.SettingConditions: "true",
	})
	if err != nil || s.Health(schema.GroupKind{Kind: "Pod"}) != nil || !s.Conditions {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestRightsOfScripts: texts and mathematics are there for those kinds alone that ask for them.
func TestRightsOfScripts(t *testing.T) {
	const script = `return type(string) .. type(math)`
	s, err := Parse(map[string]string{key("health", "Pod"): script, key("health", "Service"): script, key("useOpenLibs", "Pod"): "true", key("useOpenLibs", "Node"): "true"})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{says(t, s, "", "Pod"), says(t, s, "", "Service"), says(t, s, "", "Node")}
	if diff := cmp.Diff([]any{"tabletable", "nilnil", nil}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestActionsOfKinds(t *testing.T) {
	s, err := Parse(map[string]string{key("actions", "apps_Deployment"): `
mergeBuiltinActions: true
discovery.lua: return "found"
definitions:
- {name: a, action.lua: return "first"}
- {name: a, action.lua: return "second"}
- {name: b}
`, key("actions", "Pod"): "discovery.lua: return {}", key("actions", "Service"): ""})
	if err != nil {
		t.Fatal(err)
	}
	own := s.Actions(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	if own == nil || !own.Merge || len(own.Scripts) != 2 {
		t.Fatalf("got %+v", own)
	}
	if got, err := own.Scripts["a"].Run(nil); err != nil || got != "first" {
		t.Errorf("of two definitions with one name, %v counts, %v", got, err)
	}
	if pod := s.Actions(schema.GroupKind{Kind: "Pod"}); pod == nil || pod.Merge || len(pod.Scripts) != 0 {
		t.Errorf("what ships is merged where nobody asks for it: %+v", pod)
	}
	if s.Actions(schema.GroupKind{Kind: "Service"}) != nil || (&Set{}).Actions(schema.GroupKind{Kind: "Pod"}) != nil {
		t.Error("a kind of which nothing is said has actions")
	}
}

// TestBrokenScriptsAreTold at once, with their kind: otherwise each object tells it.
func TestBrokenScriptsAreTold(t *testing.T) {
	s, err := Parse(map[string]string{key("health", "b_B"): "return {", key("health", "a_A"): "hs = = 1", key("health", "Pod"): "return nil"})
	if err != nil || len(s.Warnings) != 2 {
		t.Fatalf("got %v, %v", s.Warnings, err)
	}
	for i, want := range []string{"the health check of a/A cannot be compiled: ", "the health check of b/B cannot be compiled: "} {
		if !strings.HasPrefix(s.Warnings[i], want) {
			t.Errorf("got %q; want %q", s.Warnings[i], want)
		}
	}
}
