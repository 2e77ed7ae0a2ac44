package apply

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestLimiterBoundsWhatIsInFlight(t *testing.T) {
	l := newLimiter(InFlight{Start: 3, Min: 1, Max: 3})
	var mu sync.Mutex
	now, most := 0, 0
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if err := l.acquire(t.Context()); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			mu.Lock()
			now--
			mu.Unlock()
			l.release(false)
		})
	}
	group.Wait()
	if most > 3 {
		t.Errorf("%d in flight, 3 are allowed", most)
	}
	if l.inFlight != 0 || len(l.waiting) != 0 {
		t.Errorf("%d in flight and %d waiting at the end", l.inFlight, len(l.waiting))
	}
}

func TestLimiterAdapts(t *testing.T) {
	clock := time.Unix(0, 0)
	l := newLimiter(InFlight{Start: 32, Min: 2, Max: 64})
	l.now = func() time.Time { return clock }
	refuse := func() {
		clock = clock.Add(cutEvery)
		for range 5 {
			// A burst of refusals counts once.
			l.inFlight++
			l.release(true)
		}
	}
	for _, want := range []int{16, 8, 4, 2, 2} {
		if refuse(); int(l.limit) != want {
			t.Errorf("limit %v, want %d", l.limit, want)
		}
	}
	l.waiting = []chan struct{}{make(chan struct{})}
	l.inFlight = 100
	before := l.limit
	l.release(false)
	if l.limit <= before {
		t.Error("success while others wait has to raise the limit")
	}
}

func TestLimiterEndsWithItsContext(t *testing.T) {
	l := newLimiter(InFlight{Start: 1, Min: 1, Max: 1})
	if err := l.acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("unexpected: %v", err)
	}
	l.release(false)
	if err := l.acquire(t.Context()); err != nil || l.inFlight != 1 {
		t.Errorf("the place was lost: %v, %d", err, l.inFlight)
	}
}
