package source

import (
	"errors"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// How much of one project is kept: of a repository so many answers that came to
// nothing, and so many of all; and so many repositories that never answered.
// Whoever writes an application again and again may name another one each time.
const (
	mostVain      = 1000
	mostAnswers   = 10_000
	mostVainRepos = 1000
)

// vain tells that an answer came to nothing, as far as is known.
func (a *answer) vain() bool {
	var known *gitops.Problem
	return errors.As(a.err, &known) && (known.Kind == gitops.NotFound || known.Kind == gitops.Invalid)
}

// crowdEvery is after how many new ones all answers are counted, which takes
// longer the more there are.
const crowdEvery = 100

// crowd makes room for more answers of each project: what came to nothing goes
// first, and of that what was not asked for the longest. Who still needs it asks
// again by themselves. The caller holds mu.
func (p *repo) crowd() {
	if p.added++; p.added%crowdEvery != 0 || len(p.answers) <= mostVain {
		return
	}
	vain, good := map[string][]want{}, map[string][]want{}
	for w, a := range p.answers {
		into := good
		if a.vain() {
			into = vain
		}
		for _, project := range a.projects() {
			into[project] = append(into[project], w)
		}
	}
	for _, project := range p.projects() {
		v, g := vain[project], good[project]
		most := max(0, min(mostVain, mostAnswers-len(g)))
		p.trim(project, v, most)
		p.trim(project, g, mostAnswers)
	}
}

// trim has a project leave what it asked for first, of so many. The caller holds mu.
func (p *repo) trim(project string, of []want, most int) {
	if len(of) <= most {
		return
	}
	slices.SortFunc(of, func(a, b want) int { return p.answers[a].last(project).Compare(p.answers[b].last(project)) })
	for _, w := range of[:len(of)-most] {
		p.leave(project, w)
	}
}

// leave has a project no longer ask for something. The caller holds mu.
func (p *repo) leave(project string, w want) {
	a := p.answers[w]
	for by := range a.users {
		if by.project == project {
			delete(a.users, by)
		}
	}
	a.owners.Store(projectsOf(a))
	if len(a.users) == 0 && a.flight == nil {
		delete(p.answers, w)
	}
}

// crowd makes room for one more repository of a project, see repo.crowd.
func (r *Registry) crowd(project string) {
	all := r.all()
	if len(all) < mostVainRepos {
		return
	}
	var first *repo
	var at time.Time
	count := 0
	for _, p := range all {
		last, vain := p.vainFor(project)
		if !vain {
			continue
		}
		if count++; first == nil || last.Before(at) {
			first, at = p, last
		}
	}
	if count < mostVainRepos {
		return
	}
	r.mu.Lock()
	delete(r.repos, first.key)
	r.mu.Unlock()
	first.unwatch()
}

// vainFor tells whether a repository never answered, and nobody asks for it but a
// project, and when that did so last.
func (p *repo) vainFor(project string) (last time.Time, vain bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked || p.reached || p.flight != nil {
		return last, false
	}
	for _, a := range p.answers {
		for by, used := range a.users {
			if by.project != project {
				return last, false
			}
			if used.After(last) {
				last = used
			}
		}
	}
	return last, true
}
