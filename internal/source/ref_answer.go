package source

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// answer is what a want resolved to in a view.
type answer struct {
	view   view
	snap   *gitops.Snapshot
	err    error
	retry  time.Time
	told   string // identity of what users know; empty where they know nothing
	flight *resolving
	// users have the time of last use.
	users map[asked]time.Time
	// owners are their projects, see projectsOf.
	owners atomic.Pointer[[]string]
}

// resolving is a want that is being resolved in a view, with what became of it
// once that has ended.
type resolving struct {
	view  view
	ended chan struct{}
	snap  *gitops.Snapshot
	err   error
	// gaveUp tells that its context ended before.
	gaveUp bool
}

// asked is who asks: the name of the repository that users wrote, see
// address.Folded, and their project. However an address is written, it is one.
type asked struct{ name, project string }

func askedBy(ref gitops.SourceRef) asked { return asked{address.Folded(ref.RepoURL), ref.Project} }

// use notes who asks for what.
func (p *repo) use(by asked, w want) {
	p.mu.Lock()
	known := p.isUsed(by, w)
	if !known {
		p.crowd() // which may drop the answer
	}
	a := p.answers[w]
	if a == nil {
		a = &answer{users: map[asked]time.Time{}}
		a.owners.Store(projectsOf(a))
		p.answers[w] = a
		p.registry.wake(p)
	}
	joins := !known && (len(a.users) == 0 || !slices.Contains(a.projects(), by.project))
	a.users[by] = p.registry.now()
	p.names[by.name] = true
	if joins {
		a.owners.Store(projectsOf(a))
		if !slices.Contains(p.projects(), by.project) {
			p.owned()
		}
	}
	p.mu.Unlock()
	if joins {
		p.again() // what others wait for is this project's, too
	}
}

// isUsed reports whether somebody asks for something already. The caller holds mu.
func (p *repo) isUsed(by asked, w want) bool {
	a := p.answers[w]
	if a == nil {
		return false
	}
	_, is := a.users[by]
	return is
}

// known is what is in memory and still counts; ok is false where the
// repository has to be asked, or somebody asks it.
func (p *repo) known(by asked, w want) (snap *gitops.Snapshot, ok bool, err error) {
	p.use(by, w)
	return p.remembered(by.project, w)
}

func (p *repo) remembered(project string, w want) (snap *gitops.Snapshot, ok bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fresh(project) {
		return nil, false, nil
	}
	if err := p.failure(); err != nil {
		return nil, true, err
	}
	if a := p.answers[w]; a != nil && a.counts(p.view, p.registry.now()) {
		return a.snap, true, a.err
	}
	return nil, false, nil
}

// counts reports whether it is what a view says now.
func (a *answer) counts(v view, now time.Time) bool {
	if a.err != nil {
		return a.view == v && now.Before(a.retry)
	}
	return a.view == v && !a.gone()
}

// gone reports whether what was read cannot be read again, see archive.Lent.
func (a *answer) gone() bool {
	if a.snap == nil {
		return false
	}
	s, ok := a.snap.Tree.(stale)
	return ok && s.Stale()
}

// answer resolves a want in a view, once for all who ask. Whoever comes while
// that is done in another view waits for it once, and then does it by themselves.
func (p *repo) answer(ctx context.Context, v view, w want) (*gitops.Snapshot, error) {
	for {
		p.mu.Lock()
		a := p.answers[w]
		if a == nil {
			p.mu.Unlock()
			return v.snapshot(ctx, w, p.common()) // it was dropped as unused just now
		}
		if a.counts(v, p.registry.now()) {
			defer p.mu.Unlock()
			return a.snap, a.err
		}
		flight := a.flight
		if flight == nil {
			return p.lead(ctx, a, v, w)
		}
		p.mu.Unlock()
		if err := wait(ctx, flight.ended); err != nil {
			return nil, err
		}
		switch {
		case flight.gaveUp:
		case flight.view == v:
			return flight.snap, flight.err
		default:
			return p.resolve(ctx, a, v, w)
		}
	}
}

// lead is resolve for all who come meanwhile. It is entered with mu held and
// leaves without.
func (p *repo) lead(ctx context.Context, a *answer, v view, w want) (*gitops.Snapshot, error) {
	flight := &resolving{view: v, ended: make(chan struct{})}
	a.flight = flight
	p.mu.Unlock()
	flight.snap, flight.err = p.resolve(ctx, a, v, w)
	p.mu.Lock()
	defer p.mu.Unlock()
	flight.gaveUp = ctx.Err() != nil && flight.err != nil
	a.flight = nil
	close(flight.ended)
	return flight.snap, flight.err
}

// resolve keeps what a want is in a view, unless the context ended before.
func (p *repo) resolve(ctx context.Context, a *answer, v view, w want) (*gitops.Snapshot, error) {
	var snap *gitops.Snapshot
	err := crew.Safely(func() (err error) { // after a panic, too, others wait for the answer
		snap, err = v.snapshot(ctx, w, p.of(a, v, w))
		return err
	})
	id := identity(snap, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil && err != nil {
		return nil, ctx.Err()
	}
	a.view, a.snap, a.err = v, snap, err
	a.retry = p.registry.now().Add(p.patience(err))
	if a.told != "" && a.told != id {
		p.registry.news.add(p.key, gitops.RepoChange{Repos: names(a), Revisions: []string{w.revision}})
	}
	a.told = id
	return snap, err
}

// patience is how long a failed answer is not tried again: nothing but a
// new look-up changes what does not exist.
func (p *repo) patience(err error) time.Duration {
	var elsewhere *web.Elsewhere
	if errors.As(err, &elsewhere) || gitops.IsProblem(err, gitops.NotFound, gitops.Invalid) {
		return max(p.registry.opts.Interval, firstRetry)
	}
	return firstRetry
}

// identity reports whether two answers are the same to their users. A chart's
// version can stay while its content changes; a commit cannot. Of an error counts
// what is wrong: names to suggest come and go with the repository's.
func identity(snap *gitops.Snapshot, err error) string {
	var known *gitops.Problem
	switch {
	case errors.As(err, &known):
		return "error: " + hash(strconv.Itoa(int(known.Kind))+" "+known.What)
	case err != nil:
		return "error: " + hash(err.Error())
	}
	if snap.Commit != nil {
		return snap.Revision
	}
	digest, err := snap.Tree.Digest(".")
	if err != nil {
		return "error: " + hash(err.Error())
	}
	return snap.Revision + " " + digest
}

// names are those by which answers were asked for, each once.
func names(answers ...*answer) []string {
	seen := map[string]bool{}
	for _, a := range answers {
		for by := range a.users {
			seen[by.name] = true
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// users is a change of everything that is asked of the repository, as a
// change of any revision. The caller holds mu.
func (p *repo) users() gitops.RepoChange {
	return gitops.RepoChange{Repos: names(slices.Collect(maps.Values(p.answers))...)}
}

func (p *repo) everything() gitops.RepoChange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.users()
}

// expire drops what was not asked for in a long time. Its users are told of
// a change: those that are still there ask again. It returns whether
// anything is left.
func (p *repo) expire() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := p.registry.now().Add(-keepUnused)
	p.names = map[string]bool{}
	var gone gitops.RepoChange // one, as who is told looks through all applications
	for w, a := range p.answers {
		for by, used := range a.users {
			if used.After(since) {
				p.names[by.name] = true
				continue
			}
			gone.Repos, gone.Revisions = append(gone.Repos, by.name), append(gone.Revisions, w.revision)
			delete(a.users, by)
		}
		a.owners.Store(projectsOf(a))
		if len(a.users) == 0 && a.flight == nil {
			delete(p.answers, w)
		}
	}
	slices.Sort(gone.Revisions)
	gone.Revisions = slices.Compact(gone.Revisions)
	p.registry.news.add(p.key, gone)
	p.owned()
	p.expireRenewals()
	return p.isNeeded()
}

// isNeeded reports whether anything is left that the repository is for. The caller
// holds mu.
func (p *repo) isNeeded() bool {
	return len(p.answers) > 0 || p.flight != nil || p.looking.Load() > 0
}
