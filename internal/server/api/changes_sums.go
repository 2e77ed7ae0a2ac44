package api

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// sums remember what the steps of commits come to, for all who see the same
// Applications: a page of commits has tens of thousands of steps, few of which
// are others than a moment ago.
type sums struct {
	known *cache.LRU[sumKey, *sum]
	// details are the answers of single commits.
	details *kept[*text]
}

// sumKey is a commit as somebody sees it. Steps that are pruned change no
// version, but how many there are.
type sumKey struct {
	commit  history.CommitKey
	version int64
	count   int
	eyes    eyes
	// former are the steps of former projects that may be seen besides.
	former eyes
}

// sum is a commit with the steps that may be seen, what needs a look first. It
// is shared, and not to be changed.
type sum struct {
	key    sumKey
	steps  []*history.Step
	commit Commit
	// moved are the Applications that were in another project when they took it up. Who
	// may see them as they are may not see them there by that.
	moved []view.Granted
}

// What is remembered takes so many bytes at most.
const (
	sumsKept    = 64 << 20
	detailsKept = 32 << 20
	sumSize     = 4 << 10
	// stepSize is what a step takes beside its message.
	stepSize = 512
	// movedSize is what an Application takes that has moved.
	movedSize = 256
)

func newSums() *sums {
	return &sums{cache.New[sumKey, *sum](sumsKept), newKept[*text](detailsKept)}
}

// seen are the commits as somebody sees them.
type seen struct {
	sums *sums
	rows view.Seen
	// all: there are no others.
	all  bool
	eyes eyes
	// shown are the Applications that may be seen; it is made when it is needed.
	shown map[view.Key]*view.Row
	past  *reach.Past
}

// sees takes down which Applications somebody may see, of those that there are, and asks
// what of their past.
func (s *sums) sees(rows view.Seen, of *view.State, past *reach.Past) *seen {
	return &seen{sums: s, rows: rows, all: rows.All(of), eyes: eyesOf(rows), past: past}
}

// asks is what the store is asked in place of a question, as it looks at all there is.
// What somebody looks for who does not see all is none of it: how long the answer takes,
// and where the page ends, would tell of commits that they may not see. They are
// given so many commits, whatever they look for, of which to leave out what does not fit.
func (v *seen) asks(q history.CommitQuery) history.CommitQuery {
	if v.all {
		return q
	}
	return history.CommitQuery{Before: q.Before, Limit: q.Limit}
}

// names reports whether a project and a cluster are of Applications that may be seen. Of
// others there is nothing to be shown.
func (v *seen) names(in *changesInput) bool {
	has := func(name string, of func(*view.Row) string) bool {
		return name == "" || slices.ContainsFunc(v.rows, func(r *view.Row) bool { return of(r) == name })
	}
	return has(in.Project, func(r *view.Row) string { return r.Project }) && has(in.Cluster, (*view.Row).On)
}

// of is what may be seen of a commit; it has no steps where that is nothing.
func (v *seen) of(ctx context.Context, c *history.Changed) (*sum, error) {
	if len(c.Steps) == 0 {
		return &sum{}, nil
	}
	key := sumKey{commit: c.CommitKey, version: c.Version, count: len(c.Steps), eyes: v.eyes}
	own := v.sumOf(key, c, nil)
	former, err := v.formerly(ctx, own.moved)
	if err != nil || len(former) == 0 {
		return own, err
	}
	key.former = eyesIn(own.moved, former)
	return v.sumOf(key, c, former), nil
}

// formerly are those of Applications that have moved which may be seen where they were.
func (v *seen) formerly(ctx context.Context, moved []view.Granted) (map[view.Granted]bool, error) {
	var out map[view.Granted]bool
	for _, was := range moved {
		may, err := v.past.In(reach.Patiently(ctx), v.row(was.Key), was.Project)
		if err != nil {
			return nil, err
		}
		if may && out == nil {
			out = map[view.Granted]bool{}
		}
		if may {
			out[was] = true
		}
	}
	return out, nil
}

// eyesIn tell those who see some of what has moved from those who see others.
func eyesIn(moved []view.Granted, seen map[view.Granted]bool) eyes {
	marks := make([]byte, len(moved))
	for i, was := range moved {
		if seen[was] {
			marks[i] = 1
		}
	}
	return sha256.Sum256(marks)
}

// sumOf sums up the steps of Applications in their present projects, and in former ones
// that are named.
func (v *seen) sumOf(key sumKey, c *history.Changed, former map[view.Granted]bool) *sum {
	if known, ok := v.sums.known.Get(key); ok {
		return known
	}
	out := &sum{key: key}
	for i := range c.Steps {
		st := &c.Steps[i]
		row := v.row(view.Key{Namespace: st.App.Namespace, Name: st.App.Name})
		if row == nil {
			continue
		}
		was := view.Granted{Key: row.Key(), Project: st.Project}
		if was.Project != row.Project {
			out.moved = append(out.moved, was)
		}
		if was.Project == row.Project || former[was] {
			out.steps = append(out.steps, st)
		}
	}
	if len(out.steps) > 0 {
		slices.SortStableFunc(out.steps, bySeverity)
		out.commit = summed(c, out.steps)
	}
	v.sums.known.Put(key, out, out.hold(c.Steps)+movedSize*int64(len(out.moved)))
	return out
}

// hold returns how many bytes a sum holds. One step holds all that were read
// with it: few are copied, so that they hold themselves alone.
func (s *sum) hold(all []history.Step) int64 {
	size := int64(sumSize)
	if 2*len(s.steps) < len(all) {
		for i, st := range s.steps {
			own := *st
			s.steps[i] = &own
			size += stepSize + int64(len(st.Message))
		}
		return size
	}
	for i := range all {
		size += stepSize + int64(len(all[i].Message))
	}
	return size
}

// row is an Application that may be seen; nil for others.
func (v *seen) row(k view.Key) *view.Row {
	if v.shown == nil {
		v.shown = make(map[view.Key]*view.Row, len(v.rows))
		for _, r := range v.rows {
			v.shown[r.Key()] = r
		}
	}
	return v.shown[k]
}

// detail is a commit on each Application.
func (s *sums) detail(v *sum) (*text, error) {
	return s.details.of(madeOf(v.key), func() (*text, int64, error) {
		out := &CommitDetail{Commit: v.commit, Steps: make([]CommitStep, 0, min(len(v.steps), mostSteps))}
		for _, st := range v.steps[:min(len(v.steps), mostSteps)] {
			out.Steps = append(out.Steps, stepOf(st))
		}
		return encoded(out)
	})
}
