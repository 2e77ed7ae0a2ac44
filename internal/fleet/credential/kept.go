package credential

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Times of keeping.
const (
	// getPatience bounds how long a source may take.
	getPatience = 60 * time.Second
	// ahead is how long before its end a credential is renewed.
	ahead = 2 * time.Minute
	// leastLife is how long a new credential is used whatever it says of its
	// end: the issuer's clock, or this machine's, may be wrong by hours.
	leastLife = 30 * time.Second
	// afterFailure is how long a source that failed is left alone.
	afterFailure = 5 * time.Second
	// mostPause is how long a credential that was refused when it was new stays
	// in use, at most.
	mostPause = 10 * time.Minute
)

// errStillRefused tells that another credential would not help: the latest one
// is new, and refused.
var errStillRefused = errors.New("new credentials are refused as well")

// kept is a source's latest credential. It is safe for concurrent use.
type kept struct {
	source Source
	now    func() time.Time
	// turn holds one token: who has it may use the fields below.
	turn    chan struct{}
	current *Credential
	got     time.Time
	err     error
	failed  time.Time
	// replaced is when a credential was last replaced because it was refused;
	// for pause after that no other one is.
	replaced time.Time
	pause    time.Duration
	// doubted is set from a refusal until the current credential is taken.
	doubted atomic.Bool
}

func newKept(s Source) *kept {
	return &kept{source: s, now: time.Now, turn: make(chan struct{}, 1)}
}

// get returns a credential that is good for a while yet.
func (k *kept) get(ctx context.Context) (*Credential, error) {
	if err := k.lock(ctx); err != nil {
		return nil, err
	}
	defer k.unlock()
	now := k.now()
	if k.current != nil && now.Before(k.due()) {
		return k.current, nil
	}
	err := k.renew(ctx)
	if err != nil && k.current != nil && now.Before(k.current.Expires) {
		return k.current, nil // there is time yet to try again
	}
	return k.current, err
}

// instead returns another credential than one that was refused. A server that
// refuses each of them gets another one less and less often: those who issue
// them count, and a program is run for each.
func (k *kept) instead(ctx context.Context, refused *Credential) (*Credential, error) {
	if err := k.lock(ctx); err != nil {
		return nil, err
	}
	defer k.unlock()
	if k.current != refused {
		return k.current, nil // somebody else was faster
	}
	if k.now().Before(k.replaced.Add(k.pause)) {
		return nil, errStillRefused
	}
	if err := k.renew(ctx); err != nil {
		return nil, err
	}
	k.replaced, k.pause = k.got, min(max(2*k.pause, leastLife), mostPause)
	k.doubted.Store(true)
	return k.current, nil
}

// taken tells that a server has taken a credential. It may refuse it elsewhere,
// as an API server does that is behind the first one: the least pause stays.
func (k *kept) taken(ctx context.Context, c *Credential) {
	if !k.doubted.Load() || k.lock(ctx) != nil {
		return
	}
	defer k.unlock()
	if k.current == c {
		k.pause = min(k.pause, leastLife)
		k.doubted.Store(false)
	}
}

// due is when the current credential is to be renewed.
func (k *kept) due() time.Time {
	if k.current.Expires.IsZero() {
		return k.now().Add(time.Hour) // only a refusal tells
	}
	due, least := k.current.Expires.Add(-ahead), k.got.Add(leastLife)
	if due.Before(least) {
		return least
	}
	return due
}

func (k *kept) renew(ctx context.Context) error {
	if k.err != nil && k.now().Before(k.failed.Add(afterFailure)) {
		return k.err
	}
	ctx, cancel := context.WithTimeout(ctx, getPatience)
	defer cancel()
	c, err := k.source.Get(ctx)
	if err != nil {
		if context.Cause(ctx) != context.Canceled { //nolint:errorlint // a caller that left says nothing of the source
			k.err, k.failed = err, k.now()
		}
		return err
	}
	k.current, k.got, k.err = &c, k.now(), nil
	return nil
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
