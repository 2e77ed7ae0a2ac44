package plan

import (
	"encoding/binary"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what rules come to for all objects of a Set.
const (
	// mostEntries is how many fields, expressions and managers are kept, those
	// of objects that the same rules concern once.
	mostEntries = 250_000
	// mostWeight is how many bytes of patterns are held against kinds of objects.
	mostWeight = 8 << 20
)

// common is what a Set is made with: the rules of ignored differences and of
// drift are held against each kind once, and objects that the same rules concern
// share what these come to. Without it a list would be there as often as there
// are objects.
type common struct {
	kinds   map[groupKind]ofKind
	ignores map[difference.Concern]ignored
	drifts  map[driftConcern]gitops.Drift

	entries, weight int
}

// ofKind are the places of the rules that may concern objects of a kind.
type ofKind struct{ ignore, drift []int }

// ignored is what rules come to, with the word about the whole status apart.
type ignored struct {
	gitops.Ignore

	status bool
}

// driftConcern is what of an object decides its drift: the places of the rules
// that match it, of its own annotation, too.
type driftConcern struct{ rules, own string }

func newCommon() *common {
	return &common{kinds: map[groupKind]ofKind{}, ignores: map[difference.Concern]ignored{}, drifts: map[driftConcern]gitops.Drift{}}
}

// keep counts what is kept.
func (c *common) keep(entries int) error {
	if c.entries += entries; c.entries <= mostEntries {
		return nil
	}
	return gitops.Problemf(gitops.Invalid, "spec.ignoreDifferences and the drift policies of the Application come to more than %d fields for its objects, those with the same rules counted once", mostEntries).
		Do("have rules concern all objects of a kind, or fewer of them by name")
}

// rulesOf finds the rules that may concern objects of a kind.
func (s *Set) rulesOf(k gitops.Key) (ofKind, error) {
	of := groupKind{k.Group, k.Kind}
	if found, ok := s.common.kinds[of]; ok {
		return found, nil
	}
	if s.common.weight += s.rules.Weight() + weightOf(s.drift); s.common.weight > mostWeight {
		return ofKind{}, gitops.Problemf(gitops.Invalid, "the rules of spec.ignoreDifferences and the drift policies are too many for the %d kinds of the Application's objects", len(s.common.kinds)+1).
			Do("have rules concern several kinds, by patterns for group and kind")
	}
	found := ofKind{ignore: s.rules.OfKind(k.Group, k.Kind)}
	for i := range s.drift {
		if s.drift[i].ofKind(k) {
			found.drift = append(found.drift, i)
		}
	}
	s.common.kinds[of] = found
	return found, nil
}

// ignoreFor joins the rules that concern an object. The status counts only
// where it is in the sources and the installation does not say otherwise, so
// it needs no rule. What comes back is shared: nobody writes to it.
func (s *Set) ignoreFor(o *unstructured.Unstructured) (gitops.Ignore, error) {
	of, err := s.rulesOf(gitops.KeyOf(o))
	if err != nil {
		return gitops.Ignore{}, err
	}
	concern := s.rules.Concern(of.ignore, o)
	found, ok := s.common.ignores[concern]
	if !ok {
		found = withoutStatus(s.rules.Ignore(concern))
		if err := s.common.keep(1 + len(found.JSONPointers) + len(found.JQ) + len(found.Managers)); err != nil {
			return gitops.Ignore{}, err
		}
		s.common.ignores[concern] = found
	}
	out := found.Ignore
	_, written := o.Object["status"]
	out.CountStatus = written && !found.status
	return out, nil
}

func withoutStatus(i gitops.Ignore) ignored {
	const status = "/status"
	out := ignored{Ignore: i}
	out.JSONPointers = nil
	for _, pointer := range i.JSONPointers {
		if pointer == status {
			out.status = true
			continue
		}
		out.JSONPointers = append(out.JSONPointers, pointer)
	}
	return out
}

// driftFor joins the policies that concern an object: the installation's, the
// application's over it, the object's own over both. What comes back is shared.
func (s *Set) driftFor(o *unstructured.Unstructured, k gitops.Key) (gitops.Drift, error) {
	own, _, _ := unstructured.NestedString(o.Object, "metadata", "annotations", gitops.AnnotationDrift)
	rules, err := ParseDrift(own)
	if err != nil {
		return gitops.Drift{}, fmt.Errorf("annotation %s of %s: %w", gitops.AnnotationDrift, k, err)
	}
	of, err := s.rulesOf(k)
	if err != nil {
		return gitops.Drift{}, err
	}
	matching, concern := s.matching(of.drift, rules, k)
	concern.own = own
	if len(matching) == 0 {
		return gitops.Drift{}, nil
	}
	if found, ok := s.common.drifts[concern]; ok {
		return found, nil
	}
	found := driftOf(matching)
	if err := s.common.keep(len(matching) + len(found.Fields)); err != nil {
		return gitops.Drift{}, err
	}
	s.common.drifts[concern] = found
	return found, nil
}

// matching are the rules that match an object: those of its kind, and its own.
func (s *Set) matching(of []int, own []DriftRule, k gitops.Key) (out []*DriftRule, concern driftConcern) {
	var places []byte
	take := func(place int, r *DriftRule) {
		out = append(out, r)
		places = binary.AppendUvarint(places, uint64(place)) //nolint:gosec // a place in a list
	}
	for _, i := range of {
		if s.drift[i].named(k) {
			take(i, &s.drift[i])
		}
	}
	for i := range own {
		if own[i].match(k) {
			take(len(s.drift)+i, &own[i])
		}
	}
	return out, driftConcern{rules: string(places)}
}
