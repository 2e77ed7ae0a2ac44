package source

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// calls is how many hosts are asked at a time: each call may be a process of
// git, and one that is silent takes all the time that an operation has.
const calls = 32

// call asks a repository in its turn: the projects that use it share the turns
// with all others. What is read from a folder waits for nobody.
func call[T any](ctx context.Context, p *repo, ask func() (T, error)) (T, error) {
	if p.origin.local() {
		return ask()
	}
	project, err := p.registry.calls.Take(ctx, p.projects)
	if err != nil {
		var none T
		return none, err
	}
	defer p.registry.calls.Give(project)
	return ask()
}

// host is who is waited for.
func (p *repo) host() string {
	host, _, _ := strings.Cut(p.name, "/")
	return host
}

// projects are those that ask for something of the repository.
func (p *repo) projects() []string { return *p.owners.Load() }

// owned finds out who they are. The caller holds mu.
func (p *repo) owned() {
	all := map[string]bool{}
	for _, a := range p.answers {
		for by := range a.users {
			all[by.project] = true
		}
	}
	owners := slices.Collect(maps.Keys(all))
	if len(owners) == 0 {
		owners = []string{""} // it was dropped as unused just now
	}
	p.owners.Store(&owners)
}
