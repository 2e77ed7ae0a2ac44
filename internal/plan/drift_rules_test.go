package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestParseDrift(t *testing.T) {
	const heal, show, freeze = gitops.DriftHeal, gitops.DriftShow, gitops.DriftFreeze
	cases := map[string]struct {
		reason, text string
		want         []DriftRule
		says         string
	}{
		"Nothing":  {"nothing says nothing", " \n", nil, ""},
		"Word":     {"one word is for all", " freeze ", []DriftRule{{Policy: freeze}}, ""},
		"List":     {"rules in their order", "[{policy: heal}, {kind: Secret, name: a, namespace: b, policy: show}]", []DriftRule{{Policy: heal}, {Kind: "Secret", Name: "a", Namespace: "b", Policy: show}}, ""},
		"Block":    {"in lines", "- policy: heal\n- {group: apps, field: /spec/replicas, policy: freeze}\n", []DriftRule{{Policy: heal}, {Group: "apps", Field: "/spec/replicas", Policy: freeze}}, ""},
		"Unknown":  {"a word that is none, and the nearest", "frieze", nil, `the drift policy "frieze" is not known; did you mean "freeze"?; write one of heal, show, freeze`},
		"Capital":  {"words are small", "Heal", nil, `the drift policy "Heal" is not known; did you mean "heal"?`},
		"InRule":   {"which rule it is", "[{policy: heal}, {policy: never}]", nil, `rule 2: the drift policy "never" is not known`},
		"NoPolicy": {"a rule has a policy", "[{kind: Secret}]", nil, `rule 1: the drift policy "" is not known`},
		"Field":    {"a field is a pointer", "[{field: spec.replicas, policy: show}]", nil, `rule 1: the field "spec.replicas" of a drift policy is no JSON pointer; write it as /spec/replicas`},
		"Typo":     {"a word that no rule has", "[{kinds: Secret, policy: show}]", nil, "cannot read the drift policy"},
		"Two":      {"a list behind another", "- policy: heal\n---\n- policy: freeze\n", nil, "cannot read the drift policy: line 3: another document begins, and one is read"},
		"Map":      {"one rule is a list of one", "{policy: show}", nil, "or a list such as [{kind: Deployment, field: /spec/replicas, policy: show}]"},
		"Pattern":  {"a pattern that matches nothing", "[{kind: 'Deploy[ment', policy: freeze}]", nil, `rule 1: the pattern "Deploy[ment" of a drift policy is broken, and matches nothing; close its bracket`},
		"Group":    {"of a group, too", "[{group: '[', policy: freeze}]", nil, `rule 1: the pattern "[" of a drift policy is broken`},
		"Braces":   {"alternatives of other globs", "[{kind: '{Deployment,StatefulSet}', policy: freeze}]", nil, `rule 1: the pattern "{Deployment,StatefulSet}" of a drift policy is of no single group or kind, and matches nothing; write the group in group and the kind in kind, and a rule for each of several`},
		"Both":     {"a group with its kind", "[{kind: apps/Deployment, policy: freeze}]", nil, `the pattern "apps/Deployment" of a drift policy is of no single group or kind`},
		"Class":    {"signs of a class are those of a pattern", "[{kind: '[A,B]*', policy: freeze}]", []DriftRule{{Kind: "[A,B]*", Policy: freeze}}, ""},
		"Names":    {"a name is no pattern", "[{kind: Secret, name: 'web-*', policy: freeze}]", nil, `rule 1: "web-*" of a drift policy is a pattern where a name belongs, and matches nothing; write the whole name or namespace, or leave it out for all`},
		"Spaces":   {"nor is a namespace", "[{namespace: '*', policy: freeze}]", nil, `rule 1: "*" of a drift policy is a pattern where a name belongs`},
		"Most":     {"as many rules as are taken", "[" + strings.Repeat("{policy: heal},", maxDriftRules) + "]", manyRules(maxDriftRules), ""},
		"More":     {"one more", "[" + strings.Repeat("{policy: heal},", maxDriftRules+1) + "]", nil, "cannot use a drift policy of 501 rules: at most 500 are taken"},
		"Long":     {"a text has an end", strings.Repeat(" ", maxDriftText) + "heal", nil, "cannot read a drift policy of 65540 bytes: at most 65536 are taken"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDrift(tc.text)
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) || !gitops.IsProblem(err, gitops.Invalid) {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", tc.reason, err, diff)
			}
		})
	}
}

func manyRules(n int) (out []DriftRule) {
	for range n {
		out = append(out, DriftRule{Policy: gitops.DriftHeal})
	}
	return out
}

func TestWhichDriftRulesMatch(t *testing.T) {
	web := gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	for name, tc := range map[string]struct {
		reason string
		rule   DriftRule
		key    gitops.Key
		want   bool
	}{
		"All":       {"a rule of nothing is of all", DriftRule{}, web, true},
		"Kind":      {"a kind", DriftRule{Kind: "Deployment"}, web, true},
		"KindGlob":  {"or a pattern of it", DriftRule{Kind: "Deploy*"}, web, true},
		"Case":      {"as it is written", DriftRule{Kind: "deployment"}, web, false},
		"Group":     {"a group", DriftRule{Group: "*.io"}, web, false},
		"GroupGlob": {"or a pattern of it", DriftRule{Group: "app?"}, web, true},
		"Core":      {"no group is any: the core has no name", DriftRule{Group: "", Kind: "Secret"}, gitops.Key{Kind: "Secret"}, true},
		"CoreNot":   {"a star is the core, too", DriftRule{Group: "*"}, gitops.Key{Kind: "Secret"}, true},
		"Name":      {"a name is no pattern", DriftRule{Name: "we*"}, web, false},
		"Both":      {"one object", DriftRule{Name: "web", Namespace: "shop"}, web, true},
		"Elsewhere": {"of one namespace", DriftRule{Name: "web", Namespace: "bank"}, web, false},
	} {
		if got := tc.rule.match(tc.key); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// The last rule counts: what is said of the whole object is said of its fields as well.
func TestWhatDriftRulesComeTo(t *testing.T) {
	rule := func(field string, p gitops.DriftPolicy) *DriftRule { return &DriftRule{Field: field, Policy: p} }
	field := func(pointer string, p gitops.DriftPolicy) gitops.FieldDrift {
		return gitops.FieldDrift{Pointer: pointer, Policy: p}
	}
	for name, tc := range map[string]struct {
		reason string
		rules  []*DriftRule
		want   gitops.Drift
		healed gitops.Drift
	}{
		"None":   {"nothing is said", nil, gitops.Drift{}, gitops.Drift{}},
		"Fields": {"fields are told in their order", []*DriftRule{rule("", "heal"), rule("/a", "show"), rule("/a/b", "freeze")}, gitops.Drift{Policy: "heal", Fields: []gitops.FieldDrift{field("/a", "show"), field("/a/b", "freeze")}}, gitops.Drift{Policy: "heal", Fields: []gitops.FieldDrift{field("/a", "freeze"), field("/a/b", "freeze")}}},
		"Whole":  {"a later word for all takes the fields away", []*DriftRule{rule("/a", "show"), rule("", "freeze")}, gitops.Drift{Policy: "freeze"}, gitops.Drift{Policy: "freeze"}},
		"Shown":  {"what is shown stays where drift is undone", []*DriftRule{rule("", "show")}, gitops.Drift{Policy: "show"}, gitops.Drift{Policy: "freeze"}},
	} {
		got, m := driftOf(tc.rules), &maker{}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, tc.reason, diff)
		}
		for range 2 { // objects that share rules share what is made of them
			if diff := cmp.Diff(tc.healed, m.healing(got)); diff != "" {
				t.Errorf("%s: %s, healing (-want +got):\n%s", name, tc.reason, diff)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: the rules were changed:\n%s", name, diff)
		}
	}
}
