package archive

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// parts are what each project may use of a Room at a time. Who waits for the part
// of their project is not in the way of others.
type parts struct {
	size int64

	mu sync.Mutex
	of map[string]*part
}

type part struct {
	free  *semaphore.Weighted
	users int
}

// take waits for so many bytes of a project's part, or for all of it where that has
// less. The error is the context's.
func (s *parts) take(ctx context.Context, project string, weight int64) (end func(), err error) {
	p := s.use(project)
	weight = min(weight, s.size)
	if err := p.free.Acquire(ctx, weight); err != nil {
		s.leave(project)
		return nil, err
	}
	return func() {
		p.free.Release(weight)
		s.leave(project)
	}, nil
}

func (s *parts) use(project string) *part {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.of[project]
	if p == nil {
		p = &part{free: semaphore.NewWeighted(s.size)}
		s.of[project] = p
	}
	p.users++
	return p
}

// leave forgets a part that nobody uses.
func (s *parts) leave(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.of[project]
	if p.users--; p.users == 0 {
		delete(s.of, project)
	}
}
