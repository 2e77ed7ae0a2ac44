package plan

import (
	"fmt"
	"path"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// DriftRule is one entry of a drift policy. Empty fields match everything;
// group and kind are globs.
type DriftRule struct {
	Group     string             `json:"group,omitempty"`
	Kind      string             `json:"kind,omitempty"`
	Namespace string             `json:"namespace,omitempty"`
	Name      string             `json:"name,omitempty"`
	Field     string             `json:"field,omitempty"`
	Policy    gitops.DriftPolicy `json:"policy"`
}

// The bounds of a drift policy.
const (
	maxDriftText  = 64 << 10
	maxDriftRules = 500
	// maxShownPattern is how many bytes of a pattern an error repeats.
	maxShownPattern = 80
)

// ParseDrift reads a drift policy: one word for everything, or a YAML list of
// rules, of which the last that matches counts.
func ParseDrift(text string) ([]DriftRule, error) {
	if len(text) > maxDriftText {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read a drift policy of %d bytes: at most %d are taken", len(text), maxDriftText)
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if !strings.ContainsAny(text, ":[{\n") {
		rule := DriftRule{Policy: gitops.DriftPolicy(text)}
		return []DriftRule{rule}, rule.check()
	}
	var rules []DriftRule
	if err := bounded.UnmarshalStrict([]byte(text), &rules); err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read the drift policy: %w", err).
			Do("write heal, show or freeze, or a list such as [{kind: Deployment, field: /spec/replicas, policy: show}]")
	}
	if len(rules) > maxDriftRules {
		return nil, gitops.Problemf(gitops.Invalid, "cannot use a drift policy of %d rules: at most %d are taken", len(rules), maxDriftRules)
	}
	for i := range rules {
		if err := rules[i].check(); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	return rules, nil
}

func (r *DriftRule) check() error {
	switch r.Policy {
	case gitops.DriftHeal, gitops.DriftShow, gitops.DriftFreeze:
	default:
		return gitops.Problemf(gitops.Invalid, "the drift policy %q is not known%s", string(r.Policy), gitops.DidYouMean(string(r.Policy), gitops.DriftPolicies)).
			Do("write one of " + strings.Join(gitops.DriftPolicies, ", "))
	}
	if r.Field != "" && !strings.HasPrefix(r.Field, "/") {
		return gitops.Problemf(gitops.Invalid, "the field %q of a drift policy is no JSON pointer", r.Field).
			Do("write it as /" + strings.ReplaceAll(r.Field, ".", "/"))
	}
	return r.checkPatterns()
}

// elsewhere are signs that other globs have, and no group or kind.
const elsewhere = "{},/ "

// checkPatterns refuses what matches nothing, as it would be passed over in silence.
func (r *DriftRule) checkPatterns() error {
	for _, pattern := range []string{r.Group, r.Kind} {
		if _, err := path.Match(pattern, ""); err != nil {
			return gitops.Problemf(gitops.Invalid, "the pattern %q of a drift policy is broken, and matches nothing", gitops.First(pattern, maxShownPattern)).
				Do("close its bracket, or write * for what may be anything")
		}
		if strings.ContainsAny(pattern, elsewhere) && !strings.Contains(pattern, "[") {
			return gitops.Problemf(gitops.Invalid, "the pattern %q of a drift policy is of no single group or kind, and matches nothing", gitops.First(pattern, maxShownPattern)).
				Do("write the group in group and the kind in kind, and a rule for each of several")
		}
	}
	for _, name := range []string{r.Namespace, r.Name} {
		if strings.Contains(name, "*") {
			return gitops.Problemf(gitops.Invalid, "%q of a drift policy is a pattern where a name belongs, and matches nothing", gitops.First(name, maxShownPattern)).
				Do("write the whole name or namespace, or leave it out for all")
		}
	}
	return nil
}

func (r *DriftRule) match(k gitops.Key) bool { return r.named(k) && r.ofKind(k) }

func (r *DriftRule) ofKind(k gitops.Key) bool {
	return (r.Group == "" || globs(r.Group, k.Group)) && (r.Kind == "" || globs(r.Kind, k.Kind))
}

func (r *DriftRule) named(k gitops.Key) bool {
	return (r.Name == "" || r.Name == k.Name) && (r.Namespace == "" || r.Namespace == k.Namespace)
}

// perRule is what a rule counts in weightOf beside its patterns.
const perRule = 8

// weightOf is what it takes to hold rules against a kind.
func weightOf(rules []DriftRule) int {
	weight := 0
	for i := range rules {
		weight += len(rules[i].Group) + len(rules[i].Kind) + perRule
	}
	return weight
}

// driftOf is what rules that match an object come to.
func driftOf(rules []*DriftRule) gitops.Drift {
	var out gitops.Drift
	for _, r := range rules {
		if r.Field != "" {
			out.Fields = append(out.Fields, gitops.FieldDrift{Pointer: r.Field, Policy: r.Policy})
			continue
		}
		// What is said of the whole object is said of its fields, too.
		out = gitops.Drift{Policy: r.Policy}
	}
	return out
}

// healing is the policy of an object whose drift is undone: what is shown
// only stays as it is until a sync. Objects share it that share their policy.
func (m *maker) healing(d gitops.Drift) gitops.Drift {
	out := gitops.Drift{Policy: shownStays(d.Policy)}
	if len(d.Fields) == 0 {
		return out
	}
	list := &d.Fields[0]
	if known, ok := m.healed[list]; ok {
		out.Fields = known
		return out
	}
	out.Fields = make([]gitops.FieldDrift, len(d.Fields))
	for i, f := range d.Fields {
		out.Fields[i] = gitops.FieldDrift{Pointer: f.Pointer, Policy: shownStays(f.Policy)}
	}
	if m.healed == nil {
		m.healed = map[*gitops.FieldDrift][]gitops.FieldDrift{}
	}
	m.healed[list] = out.Fields
	return out
}

func shownStays(p gitops.DriftPolicy) gitops.DriftPolicy {
	if p == gitops.DriftShow {
		return gitops.DriftFreeze
	}
	return p
}
