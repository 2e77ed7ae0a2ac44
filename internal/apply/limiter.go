package apply

import (
	"context"
	"sync"
	"time"
)

// InFlight bounds how many requests to one cluster are under way. It begins
// at Start, grows while requests wait and succeed, and halves when the API
// server says that there are too many.
type InFlight struct {
	Start, Min, Max int
}

func (f InFlight) orDefaults() InFlight {
	if f.Start == 0 {
		f.Start = 32
	}
	if f.Min == 0 {
		f.Min = 2
	}
	if f.Max == 0 {
		f.Max = 128
	}
	return f
}

// limiter is a semaphore whose size adapts.
type limiter struct {
	bounds InFlight
	now    func() time.Time

	mu       sync.Mutex
	limit    float64
	inFlight int
	waiting  []chan struct{}
	cut      time.Time
}

// cutEvery keeps a burst of refusals, which tell one thing, from counting as many.
const cutEvery = 200 * time.Millisecond

func newLimiter(f InFlight) *limiter {
	return &limiter{bounds: f, now: time.Now, limit: float64(f.Start)}
}

// acquire waits for a place, or for the end of ctx.
func (l *limiter) acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.inFlight < int(l.limit) {
		l.inFlight++
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.giveUp(turn)
		return ctx.Err()
	}
}

// giveUp leaves the queue, or passes on the place that came too late.
func (l *limiter) giveUp(turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, t := range l.waiting {
		if t == turn {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return
		}
	}
	l.inFlight--
	l.wake()
}

// release gives a place back after an answer.
func (l *limiter) release(refused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case refused:
		l.shrink()
	case len(l.waiting) > 0:
		l.limit = min(float64(l.bounds.Max), l.limit+1/l.limit)
	}
	l.inFlight--
	l.wake()
}

func (l *limiter) shrink() {
	if now := l.now(); now.Sub(l.cut) >= cutEvery {
		l.cut = now
		l.limit = max(float64(l.bounds.Min), l.limit/2)
	}
}

func (l *limiter) wake() {
	for len(l.waiting) > 0 && l.inFlight < int(l.limit) {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.inFlight++
	}
}
