package history

import (
	"cmp"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// After is a sync with what an engine before this one wrote of it: its waves that are
// over, and when the one began in which it was stopped. That is the same however often
// it is done: each record of the sync goes on from what is kept, as this engine's own
// records tell of none of that.
func (s *Sync) After(before *Sync) *Sync {
	out := *s
	out.Waves, out.Request = mergeWaves(before.Waves, s.Waves), cmp.Or(s.Request, before.Request)
	if out.Rendering == "" {
		out.Rendering, out.Sources, out.Commits, out.Passes = before.Rendering, before.Sources, before.Commits, before.Passes
		out.Origin = before.Origin
	}
	out.LeftOut = max(s.LeftOut, before.LeftOut)
	out.Shorten()
	// What one has left out, the other may have as well: there are so many at least.
	out.Omitted.raise(before.Omitted)
	out.Changed = out.Count()
	return &out
}

// raise makes each count at least what another one is.
func (c *Counts) raise(o Counts) {
	c.Created, c.Changed, c.Pruned = max(c.Created, o.Created), max(c.Changed, o.Changed), max(c.Pruned, o.Pruned)
	c.Failed, c.Total = max(c.Failed, o.Failed), max(c.Total, o.Total)
}

// mergeWaves keeps, of each wave, the earliest start, and what was said of an
// object when it was really changed: the second engine finds it as it should be.
func mergeWaves(before, now []Wave) []Wave {
	out := slices.Clone(before)
	for _, w := range now {
		at := slices.IndexFunc(out, func(o Wave) bool { return o.Phase == w.Phase && o.Number == w.Number && o.Try == w.Try })
		if at < 0 {
			out = slices.Insert(out, firstAfter(out, w.Try), w)
			continue
		}
		old := out[at]
		w.Started = old.Started
		w.Objects = slices.Clone(w.Objects)
		was := make(map[gitops.Key]*Object, len(old.Objects))
		for i := range slices.Backward(old.Objects) {
			was[old.Objects[i].Key()] = &old.Objects[i]
		}
		for i := range w.Objects {
			if o := was[w.Objects[i].Key()]; o != nil && w.Objects[i].Outcome() == gitops.Unchanged {
				healthy := cmp.Or(o.Healthy, w.Objects[i].Healthy)
				w.Objects[i] = *o
				w.Objects[i].Healthy = healthy
			}
		}
		out[at] = w
	}
	return out
}

// firstAfter is where the tries after one begin.
func firstAfter(waves []Wave, try int64) int {
	for i := range waves {
		if waves[i].Try > try {
			return i
		}
	}
	return len(waves)
}
