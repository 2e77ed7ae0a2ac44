package api

import (
	"slices"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/history"
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
}

// sum is a commit with the steps that may be seen, what needs a look first. It
// is shared, and not to be changed.
type sum struct {
	key    sumKey
	steps  []*history.Step
	commit Commit
}

// What is remembered takes so many bytes at most.
const (
	sumsKept    = 64 << 20
	detailsKept = 32 << 20
	sumSize     = 4 << 10
	// stepSize is what a step takes beside its message.
	stepSize = 512
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
	shown map[view.Key]bool
}

// sees takes down which Applications somebody may see, of those that there are.
func (s *sums) sees(rows view.Seen, of *view.State) *seen {
	return &seen{sums: s, rows: rows, all: rows.All(of), eyes: eyesOf(rows)}
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
func (v *seen) of(c *history.Changed) *sum {
	if len(c.Steps) == 0 {
		return &sum{}
	}
	key := sumKey{c.CommitKey, c.Version, len(c.Steps), v.eyes}
	if known, ok := v.sums.known.Get(key); ok {
		return known
	}
	out := &sum{key: key}
	for i := range c.Steps {
		if st := &c.Steps[i]; v.shows(st) {
			out.steps = append(out.steps, st)
		}
	}
	if len(out.steps) > 0 {
		slices.SortStableFunc(out.steps, bySeverity)
		out.commit = summed(c, out.steps)
	}
	v.sums.known.Put(key, out, out.hold(c.Steps))
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

func (v *seen) shows(st *history.Step) bool {
	if v.shown == nil {
		v.shown = make(map[view.Key]bool, len(v.rows))
		for _, r := range v.rows {
			v.shown[r.Key()] = true
		}
	}
	return v.shown[view.Key{Namespace: st.App.Namespace, Name: st.App.Name}]
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
