package difference

import (
	"encoding/binary"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Concern is what of an object decides what is ignored in it: where two have
// the same, they ignore the same.
type Concern struct {
	kind groupKind
	// rules are the places of the application's rules, and own is the annotation.
	rules, own string
	aggregated bool
}

// perRule is what a rule counts in Weight beside its patterns.
const perRule = 8

// Weight is what it takes to hold the application's rules against a kind: the
// bytes of their patterns, and some for each rule.
func (r *Rules) Weight() int {
	weight := 0
	for i := range r.list {
		weight += len(r.list[i].group.text) + len(r.list[i].kind.text) + perRule
	}
	return weight
}

// OfKind are the places of the application's rules that match objects of a kind,
// whatever their names.
func (r *Rules) OfKind(group, kind string) []int {
	var out []int
	for i := range r.list {
		if r.list[i].ofKind(group, kind) {
			out = append(out, i)
		}
	}
	return out
}

// Concern of an object, of whose kind some rules are.
func (r *Rules) Concern(of []int, o *unstructured.Unstructured) Concern {
	k := gitops.KeyOf(o)
	c := Concern{kind: groupKind{k.Group, k.Kind}, own: ownText(o), aggregated: r.settings.AggregatedRoles && isAggregated(o)}
	var rules []byte
	for _, i := range of {
		if r.list[i].named(k) {
			rules = binary.AppendUvarint(rules, uint64(i)) //nolint:gosec // a place in a list
		}
	}
	c.rules = string(rules)
	return c
}

// Ignore joins the rules of a concern.
func (r *Rules) Ignore(c Concern) gitops.Ignore {
	var out gitops.Ignore
	for rest := []byte(c.rules); len(rest) > 0; {
		i, n := binary.Uvarint(rest)
		add(&out, r.list[i].ignore)
		rest = rest[n:]
	}
	add(&out, gitops.Ignore{JSONPointers: pointersIn(c.own)})
	for i := range r.settings.rules {
		if r.settings.rules[i].ofKind(c.kind.group, c.kind.kind) {
			add(&out, withoutManagers(r.settings.rules[i].ignore))
		}
	}
	add(&out, gitops.Ignore{Managers: r.settings.managersOf(c.kind)})
	if c.aggregated {
		add(&out, gitops.Ignore{JSONPointers: []string{"/rules"}})
	}
	out.JSONPointers, out.JQ, out.Managers = distinct(out.JSONPointers), distinct(out.JQ), distinct(out.Managers)
	out.Types = r.settings.known[c.kind]
	return out
}
