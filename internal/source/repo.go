package source

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// repo is a repository in use: its last look-up and the answers given from it.
type repo struct {
	registry *Registry
	key      string
	name     string // see address.Name
	spelling spelling
	origin   origin
	rekeyed  func() bool // see route
	// owners are the projects that ask, see projects.
	owners atomic.Pointer[[]string]
	lines  *slots.Slots // of fetches, see account.inLine
	// looking are the people who look, see glance.
	looking atomic.Int64

	mu       sync.Mutex
	view     view
	err      error
	looked   time.Time // zero when a look-up is due
	retry    time.Time // after a failure
	failures int
	reached  bool // a look-up succeeded once
	asked    bool // a look-up ended once
	// begun counts the looks that began, and ended is the number of the last one that came to an end.
	begun, ended int
	flight       chan struct{}
	coming       chan struct{} // the flight of the next look; nil while nobody waits for that
	needed       int           // the look that all have to have, see refresh
	renewals     map[string]*renewal
	answers      map[want]*answer
	added        int             // how many users of answers were ever new, see crowd
	names        map[string]bool // that all users know it by, see asked
	polling      bool
	renewing     map[string]bool // the projects whose wants are being resolved again
	due          bool
	dueFrom      time.Time // when a look is due at the earliest; zero for at once
	dueLook      int       // the first look that will do for what is due
	blind        bool      // the system does not tell of changes in the local folder
}

// The back-off after failures, and how long an unused answer is kept.
const (
	firstRetry = 5 * time.Second
	keepUnused = time.Hour
)

// snapshot answers from memory, or asks, without the worker of who waits.
func (p *repo) snapshot(ctx context.Context, by asked, w want) (*gitops.Snapshot, error) {
	if person := p.registry.opts.Person(ctx); person != "" {
		return p.glance(ctx, by, w, person)
	}
	if snap, ok, err := p.known(by, w); ok {
		return snap, err
	}
	if p.origin.local() {
		return p.seek(ctx, by, w)
	}
	return seat.Away(ctx, p.host(), func(ctx context.Context) (*gitops.Snapshot, error) { return p.seek(ctx, by, w) })
}

func (p *repo) seek(ctx context.Context, by asked, w want) (*gitops.Snapshot, error) {
	v, err := p.current(ctx, by, w)
	if err != nil {
		return nil, err
	}
	return p.answer(ctx, v, w)
}

// current is latest for who needs what it has.
func (p *repo) current(ctx context.Context, by asked, w want) (view, error) {
	p.use(by, w)
	return p.latest(ctx, by.project)
}

// latest returns the view of the last look-up, after a new one when that
// is too old. Of many callers one looks and the others wait for it; when
// the one gives up, the next takes over. Whoever waits takes what the first look
// found that began after they came, whatever else is asked for meanwhile: that
// is the one after that which is on its way.
func (p *repo) latest(ctx context.Context, project string) (view, error) {
	p.mu.Lock()
	for since := p.begun; !p.fresh(project) && p.ended <= since; {
		if err := p.lookOrWait(ctx, project); err != nil {
			return nil, err
		}
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	return p.view, p.failure()
}

// lookOrWait makes a look-up, or waits for what may be one. It is entered with mu
// held and leaves without; the error is the context's.
func (p *repo) lookOrWait(ctx context.Context, project string) error {
	if flight := p.flight; flight != nil {
		p.mu.Unlock()
		return wait(ctx, flight)
	}
	pause := p.pause(project)
	if pause <= 0 {
		return p.look(ctx)
	}
	if p.coming == nil {
		p.coming = make(chan struct{})
	}
	coming := p.coming
	p.mu.Unlock()
	return waitFor(ctx, coming, pause)
}

// look makes one look-up. It is entered with mu held and leaves without;
// the error is the context's.
func (p *repo) look(ctx context.Context) error {
	if p.flight, p.coming = p.coming, nil; p.flight == nil {
		p.flight = make(chan struct{})
	}
	p.begun++
	number := p.begun
	p.mu.Unlock()
	var v view
	err := crew.Safely(func() (err error) { // after a panic, too, others wait for the end of this one
		v, err = p.origin.look(ctx, p.common())
		return err
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.flight)
	p.flight = nil
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	p.renewed(number)
	p.ended = number
	p.settle(v, err)
	return nil
}

func (p *repo) settle(v view, err error) {
	now := p.registry.now()
	turned := p.asked && (err == nil) != (p.err == nil)
	p.looked, p.asked, p.err = now, true, err
	if err == nil {
		p.view, p.reached, p.failures = v, true, 0
	} else {
		p.retry = now.Add(p.backoff())
		p.failures++
		if p.failures == 1 {
			p.registry.opts.Log.Warn("repository does not answer", "repository", p.name, "error", err)
		}
	}
	if turned {
		p.registry.news.add(p.key, p.users())
	}
}

func (p *repo) backoff() time.Duration {
	if p.origin.local() {
		return p.registry.opts.LocalInterval
	}
	return min(firstRetry<<min(p.failures, 10), max(p.registry.opts.Interval, firstRetry))
}

// fresh reports whether the last look-up still counts for a project. The caller
// holds mu.
func (p *repo) fresh(project string) bool {
	return p.timely() && p.ended >= p.needed && !p.renewals[project].after(p.ended)
}

// timely reports whether it is new enough by itself. The caller holds mu.
func (p *repo) timely() bool {
	if p.looked.IsZero() {
		return false
	}
	now := p.registry.now()
	if p.err != nil {
		return now.Before(p.retry)
	}
	return !isStale(p.view) && now.Sub(p.looked) < p.age()
}

// age is how old a look-up may be. While Run keeps look-ups new, nobody
// else has to wait for one.
func (p *repo) age() time.Duration {
	running := p.registry.running.Load()
	switch {
	case !p.origin.local() && running:
		return 2 * p.registry.opts.Interval
	case !p.origin.local():
		return p.registry.opts.Interval
	case running:
		return 2 * sweep
	}
	return p.registry.opts.LocalInterval
}

// failure is the last look-up's error. A repository that answered before is
// Unreachable, unless it refuses: what it had is not gone from the clusters.
func (p *repo) failure() error {
	var known *gitops.Problem
	if p.err == nil || !p.reached || !errors.As(p.err, &known) || (known.Kind != gitops.NotFound && known.Kind != gitops.Invalid) {
		return p.err
	}
	out := *known
	out.Kind = gitops.Unreachable
	out.What += "; it answered before, so what it gave last stays in place"
	return &out
}

// matches reports whether the repository, or somebody who uses it, has a name.
func (p *repo) matches(name string) bool {
	if strings.EqualFold(p.name, name) {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.names[strings.ToLower(name)]
}

// waitFor is wait that ends after some time, too.
func waitFor(ctx context.Context, flight chan struct{}, most time.Duration) error {
	end := time.NewTimer(most)
	defer end.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-flight:
	case <-end.C:
	}
	return nil
}

func wait(ctx context.Context, flight chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-flight:
		return nil
	}
}
