package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
	return nil
}

func (r *DriftRule) match(k gitops.Key) bool {
	return (r.Group == "" || globs(r.Group, k.Group)) && (r.Kind == "" || globs(r.Kind, k.Kind)) &&
		(r.Name == "" || r.Name == k.Name) && (r.Namespace == "" || r.Namespace == k.Namespace)
}

// driftFor joins the policies that concern an object: the installation's, the
// application's over it, the object's own over both.
func (s *Set) driftFor(o *unstructured.Unstructured, k gitops.Key) (gitops.Drift, error) {
	own, _, _ := unstructured.NestedString(o.Object, "metadata", "annotations", gitops.AnnotationDrift)
	rules, err := ParseDrift(own)
	if err != nil {
		return gitops.Drift{}, fmt.Errorf("annotation %s of %s: %w", gitops.AnnotationDrift, k, err)
	}
	var out gitops.Drift
	for _, list := range [][]DriftRule{s.settings.drift, s.drift, rules} {
		for i := range list {
			switch r := &list[i]; {
			case !r.match(k):
			case r.Field != "":
				out.Fields = append(out.Fields, gitops.FieldDrift{Pointer: r.Field, Policy: r.Policy})
			default:
				// What is said of the whole object is said of its fields, too.
				out = gitops.Drift{Policy: r.Policy}
			}
		}
	}
	return out, nil
}

// healing is the policy of an object whose drift is undone: what is shown
// only stays as it is until a sync.
func healing(d gitops.Drift) gitops.Drift {
	out := gitops.Drift{Policy: shownStays(d.Policy), Fields: make([]gitops.FieldDrift, len(d.Fields))}
	for i, f := range d.Fields {
		out.Fields[i] = gitops.FieldDrift{Pointer: f.Pointer, Policy: shownStays(f.Policy)}
	}
	return out
}

func shownStays(p gitops.DriftPolicy) gitops.DriftPolicy {
	if p == gitops.DriftShow {
		return gitops.DriftFreeze
	}
	return p
}
