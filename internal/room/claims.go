package room

import (
	"time"
)

// claim is what somebody lacked when they asked last.
type claim struct {
	project string
	bytes   int64
	// others tells that other projects were in its way, and not its own.
	others bool
	// turn is in which order they were refused first.
	turn uint64
	// asked is when; it is zero as soon as they have what they lacked.
	asked time.Time
}

// refuse notes what a guest lacks. The lock is held.
func (r *Room) refuse(g *Guest, want int64) {
	c := r.claims[g.who]
	if c == nil {
		r.turns++
		c = &claim{turn: r.turns}
		r.claims[g.who] = c
	}
	c.project, c.bytes, c.asked = g.project, want, time.Now()
	c.others = r.held[g.project] == g.held
	g.refused = true
}

func (c *claim) holds(now time.Time) bool { return now.Sub(c.asked) < lively }

// before are the first of those who were refused before a guest: of its project, and of
// the others where other projects are in the way. The lock is held.
func (r *Room) before(g *Guest) (own, other *claim) {
	now, mine := time.Now(), r.claims[g.who]
	for who, c := range r.claims {
		if who == g.who || !c.holds(now) || mine != nil && c.turn > mine.turn {
			continue
		}
		switch {
		case c.project == g.project:
			own = first(own, c)
		case c.others:
			other = first(other, c)
		}
	}
	return own, other
}

func first(a, b *claim) *claim {
	if a == nil || b.turn < a.turn {
		return b
	}
	return a
}
