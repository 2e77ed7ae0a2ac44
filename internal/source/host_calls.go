package source

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// calls is how many hosts are asked at a time: each call may be a process of
// git, and one that is silent takes all the time that an operation has.
const calls = 32

// lines is how many fetches of a Git repository a project has at a time: what
// others want of it does not wait for them.
const lines = 1

// searches is how many at a time look through what servers list, and searchesEach
// how many of them are one project's. They take a processor and wait for nobody.
const (
	searches     = 8
	searchesEach = 2
)

// Those who want to look up a repository that lists much have a place each to ask
// for the one turn, one of a project: so it goes around among the projects.
const (
	askers    = 1 << 20
	askerEach = 1
)

// account is on whose behalf a repository is asked: the projects that want a
// thing share what it takes, and what others want is not charged to them.
type account struct {
	repo     *repo
	projects func() []string
	// permit tells why nothing is fetched; nil where nothing is refused.
	permit func(context.Context) error
	// pace waits for what it costs to ask; nil where nobody has to.
	pace func(ctx context.Context, cost int) error
}

// paced waits before a host is asked, or what it listed is looked through.
func (a account) paced(ctx context.Context, cost int) error {
	if a.pace == nil {
		return nil
	}
	return a.pace(ctx, cost)
}

// nobody is the account where there is nothing to wait for.
var nobody = account{}

// common is the account of what all who use the repository need.
func (p *repo) common() account { return account{repo: p, projects: p.projects} }

// of is the account of those who want an answer.
func (p *repo) of(a *answer, v view, w want) account {
	return account{repo: p, projects: a.projects, permit: func(ctx context.Context) error { return p.permit(ctx, v, a, w) }}
}

// turn waits until a host may be asked. What is read from a folder waits for
// nobody.
func (a account) turn(ctx context.Context) (end func(), err error) {
	if a.repo == nil || a.repo.origin.local() {
		return func() {}, nil
	}
	if err := a.paced(ctx, 1); err != nil {
		return nil, err
	}
	all := a.repo.registry.calls
	project, err := all.Take(ctx, a.projects)
	if err != nil {
		return nil, err
	}
	return func() { all.Give(project) }, nil
}

// inLine is turn for what follows one another in a Git repository. Who waits
// in a line has none of the turns that other repositories need.
func (a account) inLine(ctx context.Context) (end func(), err error) {
	if a.repo == nil || a.repo.origin.local() {
		return func() {}, nil
	}
	if err := a.paced(ctx, fetchCost-1); err != nil {
		return nil, err
	}
	project, err := a.repo.lines.Take(ctx, a.projects)
	if err != nil {
		return nil, err
	}
	if a.permit != nil { // now that it is known how those before went
		err = a.permit(ctx)
	}
	var ended func()
	if err == nil {
		ended, err = a.turn(ctx)
	}
	if err != nil {
		a.repo.lines.Give(project)
		return nil, err
	}
	return func() {
		ended()
		a.repo.lines.Give(project)
	}, nil
}

// large is turn for the look-up of a repository that lists much, for which there
// is no room twice. It is none of the turns that other repositories need, and is
// waited for without one.
func (a account) large(ctx context.Context) (end func(), err error) {
	if a.repo == nil || a.repo.origin.local() {
		return func() {}, nil
	}
	r := a.repo.registry
	asker, err := r.askers.Take(ctx, a.projects)
	if err != nil {
		return nil, err
	}
	project, err := r.large.Take(ctx, slots.Of(asker))
	if err != nil {
		r.askers.Give(asker)
		return nil, err
	}
	return func() {
		r.large.Give(project)
		r.askers.Give(asker)
	}, nil
}

// desk waits until references may be searched, and tells for which project that is.
func (a account) desk(ctx context.Context) (project string, end func(), err error) {
	if a.repo == nil || a.repo.origin.local() {
		return "", func() {}, nil
	}
	if err := a.paced(ctx, 1); err != nil {
		return "", nil, err
	}
	all := a.repo.registry.searches
	if project, err = all.Take(ctx, a.projects); err != nil {
		return "", nil, err
	}
	return project, func() { all.Give(project) }, nil
}

// by is a view of Git for who asks on an account.
func (a account) by(v *git.View) *git.View { return v.By(a.inLine, a.desk) }

// call asks a host in its turn.
func call[T any](ctx context.Context, a account, ask func() (T, error)) (T, error) {
	end, err := a.turn(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer end()
	return ask()
}

// again lets those go on whose work belongs to more projects than it did.
func (p *repo) again() {
	p.lines.Again()
	p.registry.calls.Again()
	p.registry.searches.Again()
	p.registry.askers.Again()
	p.registry.room.Again()
}

// host is who is waited for.
func (p *repo) host() string {
	host, _, _ := strings.Cut(p.name, "/")
	return host
}

// projects are those that ask for something of the repository.
func (p *repo) projects() []string { return *p.owners.Load() }

// projects are those that ask for the answer.
func (a *answer) projects() []string { return *a.owners.Load() }

// owned finds out who they are. The caller holds mu.
func (p *repo) owned() {
	p.owners.Store(projectsOf(slices.Collect(maps.Values(p.answers))...))
}

// projectsOf are those that ask for answers, each once.
func projectsOf(answers ...*answer) *[]string {
	all := map[string]bool{}
	for _, a := range answers {
		for by := range a.users {
			all[by.project] = true
		}
	}
	owners := slices.Collect(maps.Keys(all))
	if len(owners) == 0 {
		owners = []string{""} // it was dropped as unused just now
	}
	return &owners
}
