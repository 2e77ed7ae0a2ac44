package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// line is how far the writer has come with what came. Who asks waits until all has
// been tried that came before; they put nothing into the queue for it.
type line struct {
	// askers are so many who wait. Asked wakes a writer who gathers more.
	askers atomic.Int64
	asked  chan struct{}

	mu          sync.Mutex
	came, tried int64
	// moved is closed, and another one, when more has been tried.
	moved chan struct{}
}

func newLine() *line { return &line{asked: make(chan struct{}, 1), moved: make(chan struct{})} }

// come takes one in, where it is taken: who asks later waits for it.
func (l *line) come(take func() bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !take() {
		return false
	}
	l.came++
	return true
}

// advance tells that so many more have been tried.
func (l *line) advance(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tried += int64(n)
	close(l.moved)
	l.moved = make(chan struct{})
}

// last is what came last of all.
func (l *line) last() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.came
}

// reached reports whether all has been tried up to one, and when to look again.
func (l *line) reached(one int64) (bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tried >= one, l.moved
}

// wait waits until what came has been tried, for a while.
func (l *line) wait(ctx context.Context, most time.Duration) {
	last := l.last()
	if there, _ := l.reached(last); there {
		return
	}
	l.askers.Add(1)
	defer l.askers.Add(-1)
	select {
	case l.asked <- struct{}{}:
	default: // it has been woken
	}
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		there, moved := l.reached(last)
		if there {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		case <-late.C:
			return
		}
	}
}
