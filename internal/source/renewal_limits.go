package source

import (
	"slices"
	"time"

	"golang.org/x/time/rate"
)

// How often a project has a repository looked up that others use, too: so many
// times at once, and then once in a pause. What is asked for in between is one look
// after it. Each one is work for a host that others need, and for what they read.
const (
	renewBurst = 10
	renewPause = time.Second
)

// anybody is who asks for a look without a project, which no project is called.
const anybody = "\x00"

// renewal is the last look that somebody asked for.
type renewal struct {
	pace *rate.Limiter
	// look is the first look that will do: the next to begin when it was asked for.
	look int
	// from is when a look may begin for that alone.
	from time.Time
}

// after reports whether a look is asked for that comes after one.
func (r *renewal) after(look int) bool { return r != nil && r.look > look }

// renewFor makes a look due that begins after now: at once, or after the pause of
// the project that asks. Only that project waits for it; the others have what the
// last one found until it has ended.
func (p *repo) renewFor(project string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.renewals[project]
	if r == nil {
		r = &renewal{pace: rate.NewLimiter(rate.Every(renewPause), renewBurst)}
		p.renewals[project] = r
	}
	if r.after(p.begun) {
		return // the look that comes is for that, too
	}
	p.failures = 0
	now := p.registry.now()
	r.look, r.from = p.begun+1, now
	if p.shared(project) {
		r.from = now.Add(r.pace.ReserveN(now, 1).DelayFrom(now))
	}
	p.lookFrom(r.from)
}

// refresh makes a look due that nobody asks for by themselves. While Run runs they
// are told of what it finds, and wait for nothing.
func (p *repo) refresh() {
	p.renewFor(anybody)
	if p.registry.running.Load() {
		return
	}
	p.mu.Lock()
	p.needed = p.begun + 1
	p.mu.Unlock()
}

// shared reports whether what a project asks for is paced for the sake of others.
func (p *repo) shared(project string) bool {
	return !p.origin.local() && (project == anybody || len(p.projects()) > 1)
}

// lookFrom makes a look due that begins after now, and not before a time. The
// caller holds mu.
func (p *repo) lookFrom(at time.Time) {
	if !p.due || at.Before(p.dueFrom) {
		p.dueFrom = at
	}
	p.due, p.dueLook = true, p.begun+1
}

// pause is how long no look begins for a project: where it is for nothing but what
// that asked for, and that has had its share. The caller holds mu.
func (p *repo) pause(project string) time.Duration {
	r := p.renewals[project]
	if r == nil || !p.timely() || p.ended < p.needed {
		return 0
	}
	return r.from.Sub(p.registry.now())
}

// renewed has what failed be tried anew in what a look found, for those who asked
// for that look. The caller holds mu.
func (p *repo) renewed(look int) {
	by := func(project string) bool {
		r := p.renewals[project]
		return r.after(p.ended) && !r.after(look)
	}
	all := by(anybody)
	for _, a := range p.answers {
		if a.err != nil && (all || a.askedBy(by)) {
			a.view = nil
		}
	}
}

// askedBy reports whether one of some projects asks for the answer.
func (a *answer) askedBy(of func(project string) bool) bool {
	for by := range a.users {
		if of(by.project) {
			return true
		}
	}
	return false
}

// expireRenewals drops those of projects that use the repository no more. The
// caller holds mu.
func (p *repo) expireRenewals() {
	owners := p.projects()
	for project, r := range p.renewals {
		if project != anybody && !r.after(p.ended) && !slices.Contains(owners, project) {
			delete(p.renewals, project)
		}
	}
}
