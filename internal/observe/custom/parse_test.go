package custom

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestParse(t *testing.T) {
	const lua = `return {status = "Healthy"}`
	cases := map[string]struct {
		reason string
		data   map[string]string
		kind   schema.GroupKind
		has    bool
		err    string
	}{
		"Nothing":      {reason: "an installation that says nothing", kind: schema.GroupKind{Group: "a", Kind: "B"}},
		"Key":          {reason: "a key for a kind", data: map[string]string{"resource.customizations.health.a.io_B": lua}, kind: schema.GroupKind{Group: "a.io", Kind: "B"}, has: true},
		"Core":         {reason: "a core kind", data: map[string]string{"resource.customizations.health.Pod": lua}, kind: schema.GroupKind{Kind: "Pod"}, has: true},
		"All":          {reason: "all kinds with a group", data: map[string]string{"resource.customizations.health.all": lua}, kind: schema.GroupKind{Group: "a", Kind: "B"}, has: true},
		"AllCore":      {reason: "but none without", data: map[string]string{"resource.customizations.health.all": lua}, kind: schema.GroupKind{Kind: "B"}},
		"Block":        {reason: "a block with a wildcard", data: map[string]string{"resource.customizations": "'*.a.io/*':\n  health.lua: return nil\n"}, kind: schema.GroupKind{Group: "x.a.io", Kind: "B"}, has: true},
		"Expressions":  {reason: "expressions", data: map[string]string{"resource.customizations.readyExpressions.a_B": "status.ok"}, kind: schema.GroupKind{Group: "a", Kind: "B"}, has: true},
		"Both":         {reason: "two ways for one kind", data: map[string]string{"resource.customizations.readyExpressions.a_B": "status.ok", "resource.customizations.health.a_B": lua}, err: "both"},
		"BadCEL":       {reason: "an expression that is none", data: map[string]string{"resource.customizations.readyExpressions.a_B": "status.("}, err: "readyExpressions of a/B"},
		"BadType":      {reason: "an unknown customization", data: map[string]string{"resource.customizations.healthy.a_B": lua}, err: `"healthy"`},
		"BadKind":      {reason: "a version in the key", data: map[string]string{"resource.customizations.health.a_v1_B": lua}, err: "without a version"},
		"BadBool":      {reason: "a flag that is none", data: map[string]string{"resource.customizations.useOpenLibs.a_B": "yes"}, err: "useOpenLibs"},
		"BadBlock":     {reason: "a block that is no YAML", data: map[string]string{"resource.customizations": "a: b: c"}, err: "resource.customizations"},
		"BadActions":   {reason: "actions without a name", data: map[string]string{"resource.customizations.actions.a_B": "definitions: [{action.lua: x}]"}, err: "actions of a/B"},
		"BadCondition": {reason: "a switch of our own", data: map[string]string{v1alpha1.SettingConditions: "maybe"}, err: "true or false"},
		"Broken":       {reason: "a script that does not compile is told at each object", data: map[string]string{"resource.customizations.health.a_B": "hs = {"}, kind: schema.GroupKind{Group: "a", Kind: "B"}, has: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, err := Parse(tc.data)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v; want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if got := set.Health(tc.kind) != nil; got != tc.has {
				t.Errorf("%s: the kind has a way: %t; want %t", tc.reason, got, tc.has)
			}
			if (len(set.Warnings) > 0) != (name == "Broken") {
				t.Errorf("%s: warnings %v", tc.reason, set.Warnings)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("resource.customizations.health.a_B", "return {}", "a/B:\n  health.lua: return nil\n")
	f.Add("resource.customizations.readyExpressions.a_B", "- {status: Healthy, expression: 'has(status.x)'}", "")
	f.Add("resource.customizations.actions.a_B", "discovery.lua: return {}\ndefinitions: [{name: x, action.lua: y}]", "'*/*': {readyExpressions: 'true'}")
	f.Add("causeway.health.conditions", "true", "[")
	f.Fuzz(func(_ *testing.T, key, value, block string) {
		set, err := Parse(map[string]string{key: value, v1alpha1.SettingCustomizations: block})
		if err == nil {
			set.Health(schema.GroupKind{Group: "a", Kind: "B"})
			set.Actions(schema.GroupKind{Group: "a", Kind: "B"})
		}
	})
}
