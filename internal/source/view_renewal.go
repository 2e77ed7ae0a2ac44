package source

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/source/git"
)

// renew resolves wants in the newest view, one after the other. Where that is
// being done, it goes on with the newest view by itself. However often there is
// another one meanwhile, the last of them has its turn.
func (p *repo) renew(ctx context.Context, project string, wants func() []want) {
	if !p.begins(project) {
		return
	}
	for v, ok := p.next(project, nil); ok; v, ok = p.next(project, v) {
		if !p.resolveAll(ctx, wants()) {
			p.ends(project)
			return
		}
	}
}

// resolveAll resolves wants, each in the view that is the newest then; false where
// the context has ended.
func (p *repo) resolveAll(ctx context.Context, wants []want) bool {
	for _, w := range wants {
		p.mu.Lock()
		v := p.view
		p.mu.Unlock()
		_, err := p.answer(ctx, v, w)
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			p.registry.opts.Log.Debug("revision does not resolve", "repository", p.name, "revision", w.revision, "error", err)
		}
	}
	return true
}

func (p *repo) begins(project string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.renewing[project] {
		return false
	}
	p.renewing[project] = true
	return true
}

func (p *repo) ends(project string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.renewing, project)
}

// next is the view to go on with after another one; false ends it.
func (p *repo) next(project string, done view) (view, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || p.view == done {
		delete(p.renewing, project)
		return nil, false
	}
	return p.view, true
}

// all are all wants.
func (p *repo) all() []want {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.answers))
}

// wanted are those of a project: first what is known to exist, then what was
// asked for last.
func (p *repo) wanted(project string) []want {
	type item struct {
		want want
		rank int
		used time.Time
	}
	p.mu.Lock()
	var all []item
	for w, a := range p.answers {
		if used := a.last(project); !used.IsZero() {
			all = append(all, item{w, a.rank(w), used})
		}
	}
	p.mu.Unlock()
	slices.SortFunc(all, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), b.used.Compare(a.used))
	})
	out := make([]want, 0, len(all))
	for _, i := range all {
		out = append(out, i.want)
	}
	return out
}

// last is when a project asked for it last; zero for never.
func (a *answer) last(project string) time.Time {
	var last time.Time
	for by, used := range a.users {
		if by.project == project && used.After(last) {
			last = used
		}
	}
	return last
}

// The ranks of what is resolved again, the first ones first.
const (
	rankExists = iota
	rankUnknown
	rankVain
	rankLacks
)

// rank reports whether something is known to exist. A name counts for that unless it
// was none: what it stands for is known without a fetch.
func (a *answer) rank(w want) int {
	switch {
	case a.lacks(w):
		return rankLacks
	case a.vain():
		return rankVain
	case a.snap != nil || !git.IsCommit(w.revision):
		return rankExists
	}
	return rankUnknown
}
