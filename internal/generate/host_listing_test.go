package generate

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// branchyHost has repositories with branches of a length, and counts who asks.
type branchyHost struct {
	fakeHost

	name  string
	asked atomic.Int64
}

func (h *branchyHost) Branches(_ context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	h.asked.Add(1)
	r.Branch = h.name
	return []gitops.HostRepository{r}, nil
}

// TestListedIsBounded has a host list much for one generator: of its repositories, of
// the branches of all of them, or of pull requests. The first answer that is too much
// ends it.
func TestListedIsBounded(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	host := &branchyHost{name: long}
	host.repos = make([]gitops.HostRepository, 1000)
	_, err := branchesOf(t.Context(), host, repoFilters{})
	refused(t, err, "scmProvider")
	if asked := host.asked.Load(); asked > mostListed>>20+2*asking {
		t.Errorf("the branches of %d repositories were asked for", asked)
	}

	wide := &fakeHost{repos: make([]gitops.HostRepository, 100)}
	for i := range wide.repos {
		wide.repos[i].Labels = []string{long}
	}
	_, err = branchesOf(t.Context(), wide, repoFilters{})
	refused(t, err, "scmProvider")

	for range 100 {
		wide.pulls = append(wide.pulls, gitops.PullRequest{Title: long})
	}
	set := specSet(t, `
goTemplate: true
generators: [{pullRequest: {github: {owner: a, repo: b}}}]
template: {metadata: {name: 'a-{{.number}}'}, spec: {project: p}}`)
	_, err = New(testFleet(), fakeRepos{}, anyProject{}, WithHosts(wide)).Applications(t.Context(), set)
	refused(t, err, "pullRequest")
}

// refused wants a Problem that says which generator asks for too much.
func refused(t *testing.T, err error, generator string) {
	t.Helper()
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(err.Error(), generator) || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("got %v", err)
	}
}
