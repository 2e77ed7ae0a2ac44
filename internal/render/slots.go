package render

import (
	"context"
	"slices"
	"sync"
)

// slots are what renders need to run. One project never has more than half
// of them, and the next free one goes to who has the fewest: applications of
// one team that take all their time cost the others a part of the speed, and
// no more. It is safe for concurrent use.
type slots struct {
	most int // of one project

	mu   sync.Mutex
	free int
	used map[string]int
	// waiting come in the order in which they came.
	waiting []*turn
}

// turn is one who waits for a slot.
type turn struct {
	project string
	granted chan struct{}
}

func newSlots(n int) *slots {
	return &slots{most: max(1, n/2), free: n, used: map[string]int{}} //nolint:mnd // half of them
}

// take waits for a slot. Who has one gives it back.
func (s *slots) take(ctx context.Context, project string) error {
	t := &turn{project: project, granted: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, t)
	s.grant()
	s.mu.Unlock()
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, t); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return ctx.Err()
	}
	return nil // at the same moment
}

// give gives a slot back.
func (s *slots) give(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.used[project]--; s.used[project] == 0 {
		delete(s.used, project)
	}
	s.grant()
}

// grant gives free slots to those who wait.
func (s *slots) grant() {
	for s.free > 0 {
		i := s.next()
		if i < 0 {
			return
		}
		t := s.waiting[i]
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.free--
		s.used[t.project]++
		close(t.granted)
	}
}

// next is the first one of the project that has the fewest slots; -1 when
// nobody may have one.
func (s *slots) next() int {
	found := -1
	for i, t := range s.waiting {
		used := s.used[t.project]
		if used < s.most && (found < 0 || used < s.used[s.waiting[found].project]) {
			found = i
		}
	}
	return found
}
