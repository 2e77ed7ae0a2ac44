// Package treediff walks two trees of maps, lists and scalars side by side, and
// gives each place where they differ. How the items of lists belong together,
// what a place is, and when two values mean the same is each user's own.
package treediff

import (
	"maps"
	"slices"
)

// Rules are those of one comparison. P is where it is: a path, and whatever else
// is known of a place.
type Rules[P any] interface {
	// Whole reports whether all that stands at a place is one leaf.
	Whole(p P) bool
	// Field is the place of the value of a key of two maps.
	Field(p P, key string, a, b map[string]any) P
	// Items are the items of two lists that belong together, in the order in
	// which they are shown; false for lists that are compared as a whole.
	Items(p P, a, b []any) ([]Pair[P], bool)
	// Leaf takes two values of which one is nil, or that are compared as a whole.
	// It decides whether they differ. False ends the walk.
	Leaf(p P, a, b any) bool
}

// Pair is an item on both sides; nil where it is not there.
type Pair[P any] struct {
	At   P
	A, B any
}

// Walk compares two values at a place. It is false where a leaf ended it.
func Walk[P any](r Rules[P], p P, a, b any) bool {
	if r.Whole(p) {
		return r.Leaf(p, a, b)
	}
	switch was := a.(type) {
	case map[string]any:
		if is, ok := b.(map[string]any); ok {
			return walkMaps(r, p, was, is)
		}
	case []any:
		is, ok := b.([]any)
		if !ok {
			break
		}
		if pairs, ok := r.Items(p, was, is); ok {
			return walkPairs(r, pairs)
		}
	}
	return r.Leaf(p, a, b)
}

func walkMaps[P any](r Rules[P], p P, a, b map[string]any) bool {
	for _, key := range Keys(a, b) {
		if !Walk(r, r.Field(p, key, a, b), a[key], b[key]) {
			return false
		}
	}
	return true
}

func walkPairs[P any](r Rules[P], pairs []Pair[P]) bool {
	for _, pair := range pairs {
		if !Walk(r, pair.At, pair.A, pair.B) {
			return false
		}
	}
	return true
}

// Keys are those of two maps, sorted.
func Keys(a, b map[string]any) []string {
	out := slices.AppendSeq(make([]string, 0, len(a)), maps.Keys(a))
	for key := range b {
		if _, both := a[key]; !both {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}
