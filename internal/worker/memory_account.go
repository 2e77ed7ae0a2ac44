package worker

import (
	"context"
	"slices"
	"sync"

	"github.com/causeway-gitops/causeway/internal/memory"
)

// account is the memory of the workers of all pools. Each takes its whole limit
// while it runs, so what all of them may hold is known. One project has all but
// one share at most; who waits goes in the order of who has the least.
type account struct {
	most, share int64

	mu sync.Mutex
	// busy is what the workers with a task may hold, and of that of each project's.
	busy    int64
	of      map[string]int64
	waiting []*turn
	// idle are the workers without a task, the one that waits longest first,
	// rest what they may hold.
	idle []*child
	rest int64
}

// turn is one that waits for memory.
type turn struct {
	project string
	bytes   int64
	granted chan struct{}
}

// shares is how many workers fit at least where the memory allows it;
// leastShare is what one has, even if fewer fit then, as long as two do.
const (
	shares     = 3
	leastShare = 192 << 20
)

func newAccount(most int64) *account {
	share := min(max(most/shares, min(leastShare, most/2)), defaultMemory) //nolint:mnd // two fit
	return &account{most: most, share: share, of: map[string]int64{}}
}

// ofAll is that of this process.
var ofAll = sync.OnceValue(func() *account { return newAccount(memory.Workers(memory.There())) })

// limit is what a worker may hold that should have so much.
func (a *account) limit(bytes int64) int64 {
	if bytes <= a.share {
		return bytes
	}
	return min(bytes, max(a.share, a.most/shares))
}

// take waits for memory for a task.
func (a *account) take(ctx context.Context, project string, bytes int64) error {
	t := &turn{project: project, bytes: bytes, granted: make(chan struct{})}
	a.mu.Lock()
	a.waiting = append(a.waiting, t)
	a.grant()
	a.mu.Unlock()
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.Index(a.waiting, t)
	if i < 0 {
		return nil // at the same moment
	}
	a.waiting = slices.Delete(a.waiting, i, i+1)
	a.grant() // it may have been what the others waited behind
	return context.Cause(ctx)
}

// give gives the memory of a task back.
func (a *account) give(project string, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(project, -bytes)
	a.grant()
}

func (a *account) count(project string, bytes int64) {
	a.busy += bytes
	if a.of[project] += bytes; a.of[project] == 0 {
		delete(a.of, project)
	}
}

// grant lets those go on that fit. Nobody goes past one that does not fit yet:
// small tasks would keep a large one waiting. The lock is held.
func (a *account) grant() {
	for {
		i := a.next()
		if i < 0 || a.busy+a.waiting[i].bytes > a.most {
			return
		}
		t := a.waiting[i]
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.count(t.project, t.bytes)
		close(t.granted)
	}
}

// next is the first of those that may have more which has the least; -1 when
// there is none.
func (a *account) next() int {
	index := -1
	for i, t := range a.waiting {
		if a.may(t) && (index < 0 || a.of[t.project] < a.of[a.waiting[index].project]) {
			index = i
		}
	}
	return index
}

// may reports whether one may have more, once there is place for it.
func (a *account) may(t *turn) bool {
	has := a.of[t.project]
	return has == 0 || has+t.bytes <= a.most-a.share
}

// evict takes out idle workers until all that run fit, to be ended. The lock is
// held.
func (a *account) evict() []*child {
	var out []*child
	for len(a.idle) > 0 && a.busy+a.rest > a.most {
		one := a.idle[0]
		a.leaves(one)
		one.pool.idle = slices.DeleteFunc(one.pool.idle, func(c *child) bool { return c == one })
		out = append(out, one)
	}
	return out
}

// rests notes a worker that has no task any more. The lock is held.
func (a *account) rests(one *child) {
	a.idle = append(a.idle, one)
	a.rest += one.limit
}

// leaves notes one that ends, or has a task. The lock is held.
func (a *account) leaves(one *child) {
	a.idle = slices.DeleteFunc(a.idle, func(c *child) bool { return c == one })
	a.rest -= one.limit
}
