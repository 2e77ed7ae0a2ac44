package difference

import (
	"cmp"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The bounds of what is decided, field by field.
const (
	// maxElements bounds the elements of all paths at which two objects differ.
	maxElements = 200_000
	// maxLookups bounds what is looked at to find the writers and the rules of
	// all fields. It takes about two seconds.
	maxLookups = 20_000_000
)

// decidable refuses differences that are too many to decide about each. To
// decide about some of them would keep or undo the wrong ones.
func decidable(differs *fieldpath.Set, owners, rules int, object map[string]any) error {
	paths, elements := 0, 0
	differs.Iterate(func(path fieldpath.Path) {
		paths++
		elements += len(path) + longKeys(path)
	})
	lookups := elements * (owners + rules)
	if rules > 0 {
		lookups += paths * rules * longest(object)
	}
	if elements <= maxElements && lookups <= maxLookups {
		return nil
	}
	return gitops.Problemf(gitops.Invalid, "%s differ, too many to decide what becomes of each: ignore those that do not matter by ignoreDifferences, or revert them", gitops.Count(paths, "field"))
}

// textPerElement are the bytes of an item's key that cost as much as an element.
const textPerElement = 256

// longKeys is what the keys of items add: each field below an item has them in its text.
func longKeys(path fieldpath.Path) int {
	bytes := 0
	for _, e := range path {
		if e.Key == nil {
			continue
		}
		for _, f := range *e.Key {
			if f.Value.IsString() {
				bytes += len(f.Value.AsString())
			}
		}
	}
	return bytes / textPerElement
}

// longest is the length of an object's longest list whose items are maps: a rule
// about an item is looked up in it.
func longest(v any) int {
	out := 0
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			out = max(out, longest(child))
		}
	case []any:
		out = len(v)
		for _, child := range v {
			out = max(out, longest(child))
		}
	}
	return out
}

// maxPerPolicy are the deviations of one policy that are told before those of the next.
const maxPerPolicy = maxDeviations / 4

// Told are those deviations that people are told of, and how many more there
// are. Some of each policy are among them, so that they tell what becomes of
// the object.
func Told(all []Deviation) (told []gitops.Deviation, more int) {
	type placed struct {
		gitops.Deviation
		round int
	}
	var order []placed
	seen := map[gitops.DriftPolicy]int{}
	for i := range all {
		policy := all[i].Policy
		order = append(order, placed{all[i].Deviation, seen[policy] / maxPerPolicy})
		seen[policy]++
	}
	slices.SortStableFunc(order, func(a, b placed) int { return cmp.Compare(a.round, b.round) })
	for _, one := range order[:min(len(order), maxDeviations)] {
		told = append(told, one.Deviation)
	}
	slices.SortFunc(told, func(a, b gitops.Deviation) int { return cmp.Compare(a.Field, b.Field) })
	return told, len(all) - len(told)
}
