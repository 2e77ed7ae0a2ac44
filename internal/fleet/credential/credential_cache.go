package credential

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// Times of keeping.
const (
	// getPatience bounds how long a source may take.
	getPatience = 60 * time.Second
	// ahead is how long before its end a credential is renewed.
	ahead = 2 * time.Minute
	// leastLife is how long a new credential is usually used whatever it says of
	// its end: the issuer's clock, or this machine's, may be wrong by hours.
	leastLife = 30 * time.Second
	// afterFailure is how long a source that failed is usually left alone.
	afterFailure = 5 * time.Second
	// mostPause is how long a credential that was refused when it was new stays
	// in use, at most.
	mostPause = 10 * time.Minute
)

// errStillRefused tells that another credential would not help: the latest one
// is new, and refused.
var errStillRefused = errors.New("new credentials are refused as well")

// kept is a source's latest credential. It is safe for concurrent use. While
// it is renewed, only those wait who have none that is good yet.
type kept struct {
	source Source
	now    func() time.Time
	// least is how long a new credential is used, after how long a source that
	// failed is left alone.
	least, after time.Duration
	// turn holds one token: who has it may renew, and use err and failed, which
	// are of the last renewal.
	turn   chan struct{}
	err    error
	failed time.Time

	// mu is held for moments only, and holds for what follows.
	mu      sync.Mutex
	current *Credential
	got     time.Time
	// replaced is when a credential was last replaced because it was refused;
	// for pause after that no other one is.
	replaced time.Time
	pause    time.Duration
}

func newKept(s Source, pause time.Duration) *kept {
	return &kept{source: s, now: time.Now, least: cmp.Or(pause, leastLife), after: cmp.Or(pause, afterFailure), turn: make(chan struct{}, 1)}
}

// get returns a credential that is good for a while yet.
func (k *kept) get(ctx context.Context) (*Credential, error) {
	c, due := k.have()
	if !due {
		return c, nil
	}
	if !k.begin() {
		if k.good(c) {
			return c, nil // somebody else renews it
		}
		if err := k.lock(ctx); err != nil {
			return nil, err
		}
	}
	defer k.unlock()
	if c, due = k.have(); !due {
		return c, nil
	}
	renewed, err := k.renew(ctx)
	if err != nil && k.good(c) {
		return c, nil // there is time yet to try again
	}
	return renewed, err
}

// have is the current credential, and whether it is to be renewed.
func (k *kept) have() (c *Credential, due bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current, k.current == nil || !k.now().Before(k.due())
}

// good reports whether a credential has not ended yet, by what it says.
func (k *kept) good(c *Credential) bool { return c != nil && k.now().Before(c.Expires) }

// instead returns another credential than one that was refused. A server that
// refuses each of them gets another one less and less often: those who issue
// them count, and a program is run for each.
func (k *kept) instead(ctx context.Context, refused *Credential) (*Credential, error) {
	if err := k.lock(ctx); err != nil {
		return nil, err
	}
	defer k.unlock()
	if c, _ := k.have(); c != refused {
		return c, nil // somebody else was faster
	}
	if k.paused() {
		return nil, errStillRefused
	}
	c, err := k.renew(ctx)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.replaced, k.pause = k.got, min(max(2*k.pause, k.least), mostPause)
	return c, nil
}

func (k *kept) paused() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now().Before(k.replaced.Add(k.pause))
}

// taken tells that a server has taken a credential. It may refuse it elsewhere,
// as an API server does that is behind the first one: the least pause stays.
func (k *kept) taken(c *Credential) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == c {
		k.pause = min(k.pause, k.least)
	}
}

// due is when the current credential is to be renewed. The lock is held.
func (k *kept) due() time.Time {
	if k.current.Expires.IsZero() {
		return k.now().Add(time.Hour) // only a refusal tells
	}
	due, least := k.current.Expires.Add(-ahead), k.got.Add(k.least)
	if due.Before(least) {
		return least
	}
	return due
}

// renew gets another credential; who has the turn calls it.
func (k *kept) renew(ctx context.Context) (*Credential, error) {
	if k.err != nil && k.now().Before(k.failed.Add(k.after)) {
		return nil, k.err
	}
	ctx, cancel := context.WithTimeout(ctx, getPatience)
	defer cancel()
	c, err := k.source.Get(ctx)
	if err != nil {
		if context.Cause(ctx) != context.Canceled { //nolint:errorlint // a caller that left says nothing of the source
			k.err, k.failed = err, k.now()
		}
		return nil, err
	}
	k.err = nil
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current, k.got = &c, k.now()
	return &c, nil
}

// begin takes the turn if nobody has it.
func (k *kept) begin() bool {
	select {
	case k.turn <- struct{}{}:
		return true
	default:
		return false
	}
}

func (k *kept) lock(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (k *kept) unlock() { <-k.turn }
