// Package slots shares what is scarce, renders and calls to other hosts, among projects, or among people: one never has
// more than a share of it, and the next that is free goes to who has the least, of several to each in turn. Teams whose work
// takes all its time cost the others a part of the speed, and no more. It does not know what a slot is used for.
package slots

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
)

// Slots are so many that work at a time. They are safe for concurrent use.
type Slots struct {
	most int // of one project

	mu   sync.Mutex
	free int
	used map[string]int
	// waiting are in the order in which they came.
	waiting []*turn
	// round is that of the last slot that was granted. Last has the round of the
	// latest turn of each project, where that is not over.
	round int
	last  map[string]int
}

// turn is one who waits for a slot.
type turn struct {
	projects func() []string
	// round is when it comes: a project has one turn in each, which counts for the
	// project of. Who has many waiting would else come first again and again.
	round int
	of    string
	// project is the one that it was granted for.
	project string
	granted chan struct{}
}

// New makes n slots, of which one project has half at most.
func New(n int) *Slots { return Shares(n, n/2) } //nolint:mnd // half of them

// Shares makes n slots, of which one project has so many at most.
func Shares(n, most int) *Slots {
	return &Slots{most: max(1, most), free: n, used: map[string]int{}, last: map[string]int{}}
}

// Of names one project, to whom the work belongs.
func Of(project string) func() []string { return func() []string { return []string{project} } }

// Take waits for a slot, and returns the project whose slot it is: that which
// has the fewest of those to whom the work belongs. Who has a slot gives it
// back. The error is the context's.
func (s *Slots) Take(ctx context.Context, projects func() []string) (string, error) {
	t := &turn{projects: projects, granted: make(chan struct{})}
	s.mu.Lock()
	s.join(t)
	s.grant()
	s.mu.Unlock()
	select {
	case <-t.granted:
		return t.project, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, t); i >= 0 {
		s.leave(i)
		return "", ctx.Err()
	}
	return t.project, nil // at the same moment
}

// join adds one who waits, in the first round in which a project of theirs has no turn.
func (s *Slots) join(t *turn) {
	t.round = s.round
	for i, p := range t.projects() {
		round := s.round
		if last, ok := s.last[p]; ok {
			round = max(round, last+1)
		}
		if i == 0 || round < t.round {
			t.round, t.of = round, p
		}
	}
	s.last[t.of] = t.round
	s.waiting = append(s.waiting, t)
}

// leave takes off one who waits no longer: the project's others come a round earlier.
func (s *Slots) leave(i int) {
	t := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	for _, later := range s.waiting[i:] {
		if later.of == t.of {
			later.round--
		}
	}
	if s.last[t.of]--; s.last[t.of] < s.round {
		delete(s.last, t.of)
	}
}

// Give gives a project's slot back.
func (s *Slots) Give(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.used[project]--; s.used[project] == 0 {
		delete(s.used, project)
	}
	s.grant()
}

// Again looks whether somebody who waits may have a slot by now: their work
// belongs to more projects than it did.
func (s *Slots) Again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grant()
}

// grant gives free slots to those who wait.
func (s *Slots) grant() {
	for s.free > 0 {
		i, project := s.next()
		if i < 0 {
			return
		}
		t := s.waiting[i]
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.free--
		s.used[project]++
		s.reach(t.round)
		t.project = project
		close(t.granted)
	}
}

// reach has come to a round: what was in those before makes no difference.
func (s *Slots) reach(round int) {
	if round <= s.round {
		return
	}
	s.round = round
	maps.DeleteFunc(s.last, func(_ string, last int) bool { return last < round })
}

// next is the first one of the project that has the fewest slots, in the
// earliest round; -1 when nobody may have one.
func (s *Slots) next() (index int, project string) {
	index = -1
	for i, t := range s.waiting {
		for _, p := range t.projects() {
			if s.used[p] >= s.most {
				continue
			}
			if index < 0 || cmp.Or(cmp.Compare(s.used[p], s.used[project]), cmp.Compare(t.round, s.waiting[index].round)) < 0 {
				index, project = i, p
			}
		}
	}
	return index, project
}
