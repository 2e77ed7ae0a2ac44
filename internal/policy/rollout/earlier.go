package rollout

// Seen is a source of an Application, as it is wanted, and what it was compared with.
type Seen struct {
	Source

	Revision string
}

// Source is what a revision is of.
type Source struct{ RepoURL, Chart, Wanted string }

// earlier is what the Applications of the steps before were compared with. It is kept
// by source, because a set of thousands cannot compare each with each.
type earlier struct {
	// stale is the first that was not compared with its newest spec.
	stale    *rolling
	bySource map[Source]*resolved
}

// resolved is a source, with the first Application that was compared with it and the
// first that was compared with another revision than that one; nil when all agree.
type resolved struct {
	first, other *rolling
	revision     string // of first
}

func newEarlier() *earlier { return &earlier{bySource: map[Source]*resolved{}} }

// add takes the Applications of a step, which comes after those that it has.
func (e *earlier) add(step []*rolling) {
	for _, a := range step {
		if !a.Fresh {
			e.stale = first(e.stale, a)
			continue
		}
		for _, s := range a.Seen {
			switch known := e.bySource[s.Source]; {
			case known == nil:
				e.bySource[s.Source] = &resolved{first: a, revision: s.Revision}
			case known.revision != s.Revision:
				known.other = first(known.other, a)
			}
		}
	}
}

// behind returns the first that was not compared yet with what a was: of a source
// that both have, another revision; nil when there is none.
func (e *earlier) behind(a *rolling) *rolling {
	found := e.stale
	for _, s := range a.Seen {
		switch known := e.bySource[s.Source]; {
		case known == nil:
		case known.revision != s.Revision:
			found = first(found, known.first)
		default:
			found = first(found, known.other)
		}
	}
	return found
}

// first is the one that comes first of two, either of which may be nil.
func first(a, b *rolling) *rolling {
	if a == nil || b != nil && b.at < a.at {
		return b
	}
	return a
}
