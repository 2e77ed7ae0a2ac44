package wake

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Pace spaces out the looks that others ask for: so many at once, and then no
// more than one in a while, of each key by itself. What waits is not lost: the
// look comes after it. It is safe for concurrent use.
type Pace[K comparable] struct {
	burst int
	every time.Duration
	now   func() time.Time

	mu sync.Mutex
	of map[K]*paced
	// most is how many keys there are before those are looked for that rest.
	most int
}

type paced struct {
	limit *rate.Limiter
	// due is when the look comes that was asked for last.
	due time.Time
}

// fewest is how many keys are kept without looking for those that rest.
const fewest = 1024

// NewPace returns a Pace.
func NewPace[K comparable](burst int, every time.Duration) *Pace[K] {
	return &Pace[K]{burst: burst, every: every, now: time.Now, of: map[K]*paced{}, most: fewest}
}

// Pause is how long a look waits that somebody asks for, in which further
// changes are gathered: at least so long, or until one that was asked for before
// comes. That one is asked for again: what looks at once may have taken its place
// in the queue, and have looked before this change.
func (p *Pace[K]) Pause(key K, least time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	of := p.entry(key, now)
	turn := of.limit.ReserveN(now, 1)
	wait := max(least, turn.DelayFrom(now))
	if of.due.After(now) && !of.due.After(now.Add(wait)) {
		turn.CancelAt(now)
		return of.due.Sub(now)
	}
	of.due = now.Add(wait)
	return wait
}

// Take takes a turn now, or tells after how long there is one.
func (p *Pace[K]) Take(key K) (wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	turn := p.entry(key, now).limit.ReserveN(now, 1)
	if wait = turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
	}
	return wait
}

// Forget drops what is gone.
func (p *Pace[K]) Forget(key K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, key)
}

// entry is that of a key. The caller holds mu.
func (p *Pace[K]) entry(key K, now time.Time) *paced {
	if of := p.of[key]; of != nil {
		return of
	}
	if len(p.of) >= p.most {
		p.tidy(now)
	}
	of := &paced{limit: rate.NewLimiter(rate.Every(p.every), p.burst)}
	p.of[key] = of
	return of
}

// tidy drops those that have all their turns, as new ones do.
func (p *Pace[K]) tidy(now time.Time) {
	for key, of := range p.of {
		if of.limit.TokensAt(now) >= float64(p.burst) && !of.due.After(now) {
			delete(p.of, key)
		}
	}
	p.most = max(fewest, 2*len(p.of))
}
