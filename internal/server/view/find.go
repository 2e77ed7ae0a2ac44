package view

import (
	"slices"
	"strings"
)

// Words are what somebody looks for: all have to occur.
type Words struct {
	text string
	all  []string
}

// WordsOf reads them; capitals do not count.
func WordsOf(text string) Words {
	all := strings.Fields(strings.ToLower(text))
	return Words{strings.Join(all, " "), all}
}

// None reports whether nothing is looked for.
func (w Words) None() bool { return len(w.all) == 0 }

// In reports whether all occur in a text, whose capitals do not count either.
func (w Words) In(text string) bool { return w.in(strings.ToLower(text)) }

func (w Words) in(lower string) bool {
	for _, word := range w.all {
		if !strings.Contains(lower, word) {
			return false
		}
	}
	return true
}

// ranks is how many there are.
const ranks = 6

// Rank is how well a name fits: 0 is the name that was asked for.
func (w Words) Rank(name string) int { return w.rank(strings.ToLower(name)) }

func (w Words) rank(name string) int {
	switch {
	case name == w.text:
		return 0
	case slices.Contains(w.all, name):
		return 1
	case strings.HasPrefix(name, w.text):
		return 2
	case strings.Contains(name, w.text):
		return 3
	case w.in(name):
		return 4
	}
	return ranks - 1
}

// Best keeps those that fit best; of equals the first ones.
type Best[T any] struct {
	limit int
	items []T
	ranks []int
	more  bool
}

// BestOf makes one of at most so many.
func BestOf[T any](limit int) *Best[T] { return &Best[T]{limit: limit} }

// Add offers one; the smaller its rank the better.
func (b *Best[T]) Add(rank int, item T) {
	at, _ := slices.BinarySearch(b.ranks, rank+1) // behind its equals
	if at >= b.limit {
		b.more = true
		return
	}
	b.ranks, b.items = slices.Insert(b.ranks, at, rank), slices.Insert(b.items, at, item)
	if len(b.items) > b.limit {
		b.ranks, b.items, b.more = b.ranks[:b.limit], b.items[:b.limit], true
	}
}

// Beyond reports whether what has a rank would not be kept, and takes it as offered.
func (b *Best[T]) Beyond(rank int) bool {
	beyond := len(b.ranks) == b.limit && (b.limit == 0 || b.ranks[b.limit-1] <= rank)
	b.more = b.more || beyond
	return beyond
}

// Settled reports whether nothing can be better than what there is.
func (b *Best[T]) Settled() bool {
	return b.more && b.limit > 0 && len(b.ranks) == b.limit && b.ranks[b.limit-1] == 0
}

// Items are those that were kept, the best first; more tells of others.
func (b *Best[T]) Items() (items []T, more bool) { return b.items, b.more }

// Seen are the rows that somebody may see. What is looked for is looked for in
// them alone: how long it takes tells nothing of the others.
type Seen []*Row

// Seen leaves the rows that may be seen.
func (s *State) Seen(visible func(*Row) bool) Seen {
	out := make(Seen, 0, len(s.Rows))
	for _, r := range s.Rows {
		if visible(r) {
			out = append(out, r)
		}
	}
	return out
}

// All reports whether they are all that there are at the moment that they are of.
func (s Seen) All(of *State) bool { return len(s) == len(of.Rows) }

// Find returns the Applications that fit best; of equals those that need a look.
func (s Seen) Find(w Words, limit int) (rows []*Row, more bool) {
	best := BestOf[*Row](limit)
	for _, r := range s {
		if w.in(r.text) {
			best.Add(w.Rank(r.Name)*len(healthRanks)+max(rank(healthRanks, r.Health), 0), r)
		}
	}
	return best.Items()
}
