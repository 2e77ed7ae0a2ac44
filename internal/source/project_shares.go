package source

import (
	"errors"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// How much of one project is kept: of a repository so many answers that came to
// nothing, and so many of all; and so many repositories that never answered, and
// so many of all. Whoever writes an application again and again may name another
// one each time, and spell one in many ways.
const (
	mostVain      = 1000
	mostAnswers   = 10_000
	mostVainRepos = 1000
	mostRepos     = 10_000
)

// vain reports whether an answer came to nothing, as far as is known.
func (a *answer) vain() bool {
	var known *gitops.Problem
	return errors.As(a.err, &known) && (known.Kind == gitops.NotFound || known.Kind == gitops.Invalid)
}

// crowdEvery is after how many new ones all are counted, which takes longer the
// more there are.
const crowdEvery = 100

// dated is what somebody asks for, with when that was last.
type dated interface{ last() time.Time }

// usage is who asks for one answer, and when that was last.
type usage struct {
	by   asked
	want want
	used time.Time
}

func (a usage) last() time.Time { return a.used }

// crowd makes room for more answers of each project: what came to nothing goes
// first, and of that what was not asked for the longest. Who still needs it asks
// again by themselves. One answer that is asked for by many names counts for each.
// The caller holds mu.
func (p *repo) crowd() {
	if p.added++; p.added%crowdEvery != 0 {
		return
	}
	vain, good := map[string][]usage{}, map[string][]usage{}
	for w, a := range p.answers {
		into := good
		if a.vain() {
			into = vain
		}
		for by, used := range a.users {
			into[by.project] = append(into[by.project], usage{by, w, used})
		}
	}
	for _, project := range p.projects() {
		for _, one := range surplus(vain[project], good[project], mostVain, mostAnswers) {
			p.leave(one)
		}
	}
}

// surplus is what is too much of one project: of what is in vain and of what is
// not, what was asked for first. So many may be in vain, and so many there may be.
func surplus[T dated](vain, good []T, inVain, most int) []T {
	return slices.Concat(oldest(vain, max(0, min(inVain, most-len(good)))), oldest(good, most))
}

// oldest is what is more than so many.
func oldest[T dated](of []T, most int) []T {
	if len(of) <= most {
		return nil
	}
	slices.SortFunc(of, func(a, b T) int { return a.last().Compare(b.last()) })
	return of[:len(of)-most]
}

// leave has somebody no longer ask for something. The caller holds mu.
func (p *repo) leave(one usage) {
	a := p.answers[one.want]
	delete(a.users, one.by)
	a.owners.Store(projectsOf(a))
	if len(a.users) == 0 && a.flight == nil {
		delete(p.answers, one.want)
	}
}

// visit is a repository that a project asks for, and when that was last.
type visit struct {
	repo *repo
	used time.Time
}

func (v visit) last() time.Time { return v.used }

// crowd makes room for more repositories of each project, see repo.crowd. Whether
// others ask for one, too, makes no difference to whom it counts for.
func (r *Registry) crowd() {
	r.mu.Lock()
	r.added++
	due := r.added%crowdEvery == 0
	r.mu.Unlock()
	if !due {
		return
	}
	vain, good := map[string][]visit{}, map[string][]visit{}
	projects := map[string]bool{}
	for _, p := range r.all() {
		used, never := p.visits()
		into := good
		if never {
			into = vain
		}
		for project, last := range used {
			into[project] = append(into[project], visit{p, last})
			projects[project] = true
		}
	}
	for project := range projects {
		for _, v := range surplus(vain[project], good[project], mostVainRepos, mostRepos) {
			r.forsake(v.repo, project)
		}
	}
}

// visits are when each project asked for something of a repository last. It never
// answered where it was asked in vain.
func (p *repo) visits() (used map[string]time.Time, never bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	used = map[string]time.Time{}
	for _, a := range p.answers {
		for by, at := range a.users {
			if at.After(used[by.project]) {
				used[by.project] = at
			}
		}
	}
	return used, p.asked && !p.reached
}

// forsake has a project no longer ask for anything of a repository, which goes
// where nobody else does.
func (r *Registry) forsake(p *repo, project string) {
	if p.left(project) {
		return
	}
	r.mu.Lock()
	if r.repos[p.key] == p {
		delete(r.repos, p.key)
	}
	r.mu.Unlock()
	p.unwatch()
}

// left has a project leave, and reports whether the repository is still needed.
func (p *repo) left(project string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w, a := range p.answers {
		for by := range a.users {
			if by.project == project {
				p.leave(usage{by: by, want: w})
			}
		}
	}
	p.owned()
	return p.isNeeded()
}
