package apply

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// InFlight bounds how many requests to one cluster are under way for one
// project. It begins at Start, grows while requests wait and succeed, and halves
// when the API server says that there are too many. All projects together have a
// quarter more, and each has one.
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

// limiter is a semaphore whose size adapts, and which projects share: the next
// place goes to who has the fewest, of several to each in turn. A project that is
// alone may have all of limit. Beside it are some places for others, of which each
// project leaves half, so that none waits for requests of others that are slow. One
// that has no place gets one, however many others have: limit may be cut below what
// slow requests take, for as long as they last.
type limiter struct {
	bounds InFlight
	now    func() time.Time

	mu       sync.Mutex
	limit    float64
	inFlight int
	cut      time.Time
	shares   map[string]*share
	// waiting are the shares for which somebody waits, each once, in the order of
	// their turns.
	waiting []*share
}

// share is what a limiter keeps of a project.
type share struct {
	// limit is less than the others' where the project alone was refused.
	limit    float64
	inFlight int
	waiting  []chan struct{}
	cut      time.Time
	// overload is when the API server itself said last that there are too many.
	overload time.Time
}

// refusal is who says that there are too many requests.
type refusal int

const (
	notRefused refusal = iota
	// byWebhook is of one team's admission webhook, perhaps, and tells nothing of others.
	byWebhook
	byServer
)

func refusalOf(err error) refusal {
	switch {
	case !apierrors.IsTooManyRequests(err):
		return notRefused
	case deniedByWebhook(err):
		return byWebhook
	}
	return byServer
}

const (
	// cutEvery keeps a burst of refusals, which tell one thing, from counting as many.
	cutEvery = 200 * time.Millisecond
	// cutLately is how long a refusal of one project, with those of others, tells of
	// an API server that has too much to do.
	cutLately = time.Second
	// cutFor is how long a project that asks for nothing is remembered as refused.
	cutFor = time.Minute
	// besides is which part of the limit others have beside it.
	besides = 4
)

func newLimiter(f InFlight) *limiter {
	return &limiter{bounds: f, now: time.Now, limit: float64(f.Start), shares: map[string]*share{}}
}

// acquire waits for a place for a project, or for the end of ctx.
func (l *limiter) acquire(ctx context.Context, project string) error {
	l.mu.Lock()
	s := l.of(project)
	if len(s.waiting) == 0 && l.room(s) {
		l.take(s)
		l.mu.Unlock()
		return nil
	}
	turn := l.wait(s)
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.giveUp(s, turn)
		return ctx.Err()
	}
}

// wait puts somebody in line. The caller holds mu.
func (l *limiter) wait(s *share) chan struct{} {
	if len(s.waiting) == 0 {
		l.waiting = append(l.waiting, s)
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	return turn
}

// of is the share of a project. Those that make no difference any more go when
// another one comes. The caller holds mu.
func (l *limiter) of(project string) *share {
	if s := l.shares[project]; s != nil {
		return s
	}
	now := l.now()
	maps.DeleteFunc(l.shares, func(_ string, s *share) bool { return !s.busy() && now.Sub(s.cut) >= cutFor })
	s := &share{limit: float64(l.bounds.Max)}
	l.shares[project] = s
	return s
}

func (s *share) busy() bool { return s.inFlight > 0 || len(s.waiting) > 0 }

// room reports whether there is a place for one more request. The caller holds mu.
func (l *limiter) room(s *share) bool {
	if s.inFlight == 0 {
		return true
	}
	if s.inFlight >= int(s.limit) {
		return false
	}
	limit := int(l.limit)
	return l.inFlight < limit || s.inFlight < limit+max(1, limit/besides)-l.inFlight
}

func (l *limiter) take(s *share) {
	l.inFlight++
	s.inFlight++
}

// giveUp leaves the queue, or passes on the place that came too late.
func (l *limiter) giveUp(s *share, turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(s.waiting, turn)
	if i < 0 {
		l.give(s)
		return
	}
	if s.waiting = slices.Delete(s.waiting, i, i+1); len(s.waiting) == 0 {
		l.waiting = slices.DeleteFunc(l.waiting, func(w *share) bool { return w == s })
	}
}

// release gives a place back after an answer.
func (l *limiter) release(project string, refused refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.shares[project]
	switch refused {
	case notRefused:
		l.grow(s)
	case byWebhook:
		l.narrow(s)
	case byServer:
		l.narrow(s)
		l.shrink(s)
	}
	l.give(s)
}

// grow widens what somebody waits for.
func (l *limiter) grow(s *share) {
	if len(s.waiting) > 0 && s.inFlight >= int(s.limit) {
		s.limit = l.wider(s.limit)
	}
	if len(l.waiting) > 0 && l.inFlight >= int(l.limit) {
		l.limit = l.wider(l.limit)
	}
}

func (l *limiter) wider(limit float64) float64 { return min(float64(l.bounds.Max), limit+1/limit) }

// narrow has a project that was refused have less: it may be the only one, as of an
// account that API Priority and Fairness knows, or of one team's admission webhook.
func (l *limiter) narrow(s *share) {
	if now := l.now(); now.Sub(s.cut) >= cutEvery {
		s.cut, s.limit = now, l.narrower(min(s.limit, l.limit))
	}
}

// shrink is told of a refusal by the API server: all have less where others are
// refused, too.
func (l *limiter) shrink(s *share) {
	now := l.now()
	s.overload = now
	if now.Sub(l.cut) >= cutEvery && l.overloaded(now) {
		l.cut, l.limit = now, l.narrower(l.limit)
	}
}

func (l *limiter) narrower(limit float64) float64 { return max(float64(l.bounds.Min), limit/2) } //nolint:mnd // half of it

// overloaded reports whether the API server refuses at least half of the projects, and
// more than one.
func (l *limiter) overloaded(now time.Time) bool {
	refused, all := 0, 0
	for _, s := range l.shares {
		lately := now.Sub(s.overload) < cutLately
		if lately {
			refused++
		}
		if lately || s.busy() {
			all++
		}
	}
	return refused > 1 && 2*refused >= all
}

func (l *limiter) give(s *share) {
	l.inFlight--
	s.inFlight--
	for next := l.next(); next >= 0; next = l.next() {
		first := l.waiting[next]
		l.take(first)
		close(first.waiting[0])
		first.waiting = first.waiting[1:]
		l.waiting = slices.Delete(l.waiting, next, next+1)
		if len(first.waiting) > 0 {
			l.waiting = append(l.waiting, first)
		}
	}
}

// next is whose turn it is, of those that have room: who has the fewest places. It
// is -1 where nobody may have one.
func (l *limiter) next() int {
	next := -1
	for i, s := range l.waiting {
		if l.room(s) && (next < 0 || s.inFlight < l.waiting[next].inFlight) {
			next = i
		}
	}
	return next
}
