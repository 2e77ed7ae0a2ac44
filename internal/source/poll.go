package source

import (
	"context"
	"errors"
	"hash/fnv"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
)

const (
	// sweep is how often local folders are looked at although the system
	// told of no change.
	sweep = 10 * time.Second
	// workers is how many folders are looked up at a time. How many hosts are
	// is decided where they are called, so that no silent one holds up others.
	workers = 8
	// rested is when an idle process that reads a store is ended.
	rested = 30 * time.Second
	// chores is how often unused things are cleared away.
	chores = time.Minute
)

// Run looks up every repository in use once an interval, watches local
// folders, and hands out changes. It returns when the context ends.
func (r *Registry) Run(ctx context.Context) error {
	if r.running.Swap(true) {
		return errors.New("cannot run the registry of sources twice")
	}
	defer r.running.Store(false)
	g, ctx := crew.WithContext(ctx)
	if w := r.newWatcher(); w != nil {
		r.watcher.Store(w)
		g.Go(func() error { return w.run(ctx) })
	}
	g.Go(func() error { return r.news.deliver(ctx) })
	g.Go(func() error { return r.poll(ctx, r.wakeLocal, true) })
	g.Go(func() error { return r.poll(ctx, r.wakeRemote, false) })
	g.Go(func() error { return r.clear(ctx) })
	return g.Wait()
}

// poll looks up what is due until the context ends.
func (r *Registry) poll(ctx context.Context, wake chan struct{}, local bool) error {
	var g crew.Group
	if local {
		g.SetLimit(workers)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
		next := r.opts.Interval
		for _, p := range r.all() {
			if p.origin.local() != local {
				continue
			}
			in, start := p.begin()
			if start {
				g.Go(func() error {
					p.poll(ctx, &g)
					r.wake(p) // to plan its next turn
					return nil
				})
				continue
			}
			next = min(next, in)
		}
		timer.Reset(max(next, time.Millisecond))
	}
	_ = g.Wait() // a turn that met a fault is logged, and the next one was made
	return nil
}

// begin reports whether a poll is due now, or in how long.
func (p *repo) begin() (in time.Duration, start bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.polling || len(p.answers) == 0 {
		return time.Hour, false // its end wakes the poller
	}
	in = p.dueIn()
	if in > 0 {
		return in, false
	}
	p.polling = true
	return 0, true
}

func (p *repo) dueIn() time.Duration {
	now := p.registry.now()
	if p.looked.IsZero() {
		return 0
	}
	at := p.looked.Add(p.period())
	if p.err != nil {
		at = p.retry
	}
	if p.due && p.dueFrom.Before(at) {
		at = p.dueFrom
	}
	return at.Sub(now)
}

func (p *repo) period() time.Duration {
	switch {
	case p.origin.local() && p.blind:
		return p.registry.opts.LocalInterval
	case p.origin.local():
		return sweep
	}
	// Spread over the last tenth of the interval, so that not all
	// repositories of a host are asked in one moment.
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.key)) // a hash never fails
	spread := p.registry.opts.Interval / 10
	return p.registry.opts.Interval - spread + time.Duration(float64(spread)*float64(h.Sum32())/(1<<32))
}

// poll makes a look-up and has resolved again whatever is in use, which fetches
// new commits before anybody has to wait for them. The next look-up does not
// wait for that where a host is asked.
func (p *repo) poll(ctx context.Context, g *crew.Group) {
	defer func() {
		p.mu.Lock()
		p.polling = false
		p.mu.Unlock()
	}()
	if err := p.lookIfDue(ctx); err != nil {
		return
	}
	p.watch()
	if p.origin.local() {
		p.renew(ctx, "", p.all)
		return
	}
	for _, project := range p.projects() {
		g.Go(func() error {
			p.renew(ctx, project, func() []want { return p.wanted(project) })
			return nil
		})
	}
}

// lookIfDue makes a look-up, unless somebody else made one that will do: of
// others' looks it waits for one that begins after now at most.
func (p *repo) lookIfDue(ctx context.Context) error {
	p.mu.Lock()
	for since := p.begun; p.flight != nil && p.ended <= since; {
		flight := p.flight
		p.mu.Unlock()
		if err := wait(ctx, flight); err != nil {
			return err
		}
		p.mu.Lock()
	}
	p.due = p.due && p.dueLook > p.ended
	if p.flight == nil && p.dueIn() <= 0 {
		p.due = false
		return p.look(ctx)
	}
	p.mu.Unlock()
	return nil
}

// clear ends idle processes and drops what is no longer used.
func (r *Registry) clear(ctx context.Context) error {
	rest, expire := time.NewTicker(rested/2), time.NewTicker(chores)
	defer rest.Stop()
	defer expire.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-rest.C:
			r.mu.Lock()
			for _, s := range r.stores {
				// Stores note by the machine's time when their processes were used.
				s.Rest(time.Now().Add(-rested))
			}
			r.mu.Unlock()
		case <-expire.C:
			r.expire()
		}
	}
}

func (r *Registry) expire() {
	for _, p := range r.all() {
		if p.expire() {
			continue
		}
		r.mu.Lock()
		delete(r.repos, p.key)
		r.mu.Unlock()
		p.unwatch()
	}
	r.retire()
	r.tidy()
}
