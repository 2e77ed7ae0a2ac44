package guard

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Deletion is one thing that would go.
type Deletion struct {
	Name string
	// Weight is how much it counts: 1 for an ordinary object.
	Weight int
	// With says what would go with it, as far as is known; may be empty.
	With string
	// Needed is how many objects need it and stay.
	Needed int
}

// List are deletions that stand together.
type List []Deletion

// Weight is what all of them count.
func (l List) Weight() int {
	sum := 0
	for _, d := range l {
		sum += d.Weight
	}
	return sum
}

// Needed is how many objects need what goes, and stay.
func (l List) Needed() int {
	sum := 0
	for _, d := range l {
		sum += d.Needed
	}
	return sum
}

// Names are those of all, in their order.
func (l List) Names() []string {
	out := make([]string, len(l))
	for i, d := range l {
		out[i] = d.Name
	}
	return out
}

// Digest names the list.
func (l List) Digest() string { return Digest(l.Names()) }

// shown is how many deletions a text names.
const shown = 10

// String names the first of them, the heaviest before the others.
func (l List) String() string {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Deletion) int {
		if a.Weight != b.Weight {
			return b.Weight - a.Weight
		}
		return strings.Compare(a.Name, b.Name)
	})
	return strings.Join(gitops.FewOf(sorted, shown, func(d Deletion) string {
		if d.With == "" {
			return d.Name
		}
		return d.Name + " (" + d.With + ")"
	}), ", ")
}
