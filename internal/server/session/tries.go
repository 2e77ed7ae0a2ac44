package session

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// names bounds what is remembered. Where there are more, the quarter goes of which
// the most tries are left: to have tries of a name given back by that, one has to
// use up as many of thousands of other names.
const names = 4096

// Tries limits how often something is tried, by a name each.
type Tries struct {
	limit rate.Limit // a second
	burst float64

	mu  sync.Mutex
	all map[string]*left
}

// left is how many tries a name has, and had when.
type left struct {
	tries float64
	at    time.Time
}

// NewTries makes one that counts from now on.
func NewTries(limit rate.Limit, burst int) *Tries {
	return &Tries{limit: limit, burst: float64(burst), all: map[string]*left{}}
}

// Busy is ErrBusy with how long to wait.
type Busy struct{ Wait time.Duration }

// Error implements error.
func (Busy) Error() string { return ErrBusy.Error() }

// Is makes it ErrBusy.
func (Busy) Is(target error) bool { return target == ErrBusy }

// someWait is what is waited for a place that others have: who knows how long.
const someWait = 2 * time.Second

// WaitOf is how long to wait after an error that is ErrBusy.
func WaitOf(err error) time.Duration {
	var b Busy
	if errors.As(err, &b) {
		return b.Wait
	}
	return someWait
}

// Later tells who is refused for now when to come again.
func Later(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
}

// Take uses up a try. It is Busy where none is left.
func (t *Tries) Take(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, now := t.all[name], time.Now()
	if l == nil {
		if len(t.all) >= names {
			t.forget(now)
		}
		l = &left{t.burst, now}
		t.all[strings.Clone(name)] = l // it may be a part of a header
	}
	l.tries, l.at = t.left(l, now), now
	if l.tries < 1 {
		return Busy{time.Duration((1 - l.tries) / float64(t.limit) * float64(time.Second))}
	}
	l.tries--
	return nil
}

// left is how many tries a name has by now.
func (t *Tries) left(l *left, now time.Time) float64 {
	return min(t.burst, l.tries+now.Sub(l.at).Seconds()*float64(t.limit))
}

// forget drops the names of which the most tries are left.
func (t *Tries) forget(now time.Time) {
	all := slices.Collect(maps.Keys(t.all))
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(t.left(t.all[b], now), t.left(t.all[a], now)) })
	for _, name := range all[:len(all)/4] {
		delete(t.all, name)
	}
}

// Give gives a try back that was none.
func (t *Tries) Give(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.all[name]; l != nil {
		l.tries = min(t.burst, l.tries+1)
	}
}
