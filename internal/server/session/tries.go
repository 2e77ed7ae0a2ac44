package session

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// names bounds what is remembered: when there are more, all begin anew, which
// gives an attacker no more than a burst for each so many names.
const names = 4096

// Tries limits how often something is tried, by a name each.
type Tries struct {
	limit rate.Limit
	burst int

	mu  sync.Mutex
	all map[string]*rate.Limiter
}

// NewTries makes one that counts from now on.
func NewTries(limit rate.Limit, burst int) *Tries {
	return &Tries{limit: limit, burst: burst, all: map[string]*rate.Limiter{}}
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
	l := t.all[name]
	if l == nil {
		if len(t.all) >= names {
			clear(t.all)
		}
		l = rate.NewLimiter(t.limit, t.burst)
		t.all[name] = l
	}
	r := l.Reserve()
	if wait := r.Delay(); wait > 0 {
		r.Cancel()
		return Busy{wait}
	}
	return nil
}
