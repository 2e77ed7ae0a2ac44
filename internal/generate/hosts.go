package generate

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Hosts open Git hosts for generators of a namespace, in which the Secrets of
// their tokens are.
type Hosts interface {
	Forge(ctx context.Context, namespace string, g *v1alpha1.SCMProviderGenerator) (Forge, error)
	Reviews(ctx context.Context, namespace string, g *v1alpha1.PullRequestGenerator) (Reviews, error)
}

// Forge is an organisation, group or project of a Git host. It may be asked by
// several goroutines.
type Forge interface {
	// Repositories lists all repositories at their default branch.
	Repositories(ctx context.Context) ([]gitops.HostRepository, error)
	// Branches lists a repository at each branch that the generator asks for.
	Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error)
	// HasPath reports whether a file or folder is there at the repository's branch.
	HasPath(ctx context.Context, r gitops.HostRepository, path string) (bool, error)
}

// Reviews are the open pull requests of one repository. A Problem of kind
// NotFound says that the repository does not exist.
type Reviews interface {
	PullRequests(ctx context.Context) ([]gitops.PullRequest, error)
}

// WithHosts lets generators ask Git hosts; without it scmProvider and
// pullRequest are errors.
func WithHosts(h Hosts) Option { return func(g *Generator) { g.hosts = h } }

// offline is the error of a generator whose outside world is not there.
func offline(generator, needs string) error {
	return problemf(gitops.Invalid, "cannot use the generator %s here: there is no access to %s", word(generator), word(needs)).
		Do("run it on a hub")
}

// Forms of a commit for names: Argo CD offers both lengths.
const (
	shortCommit   = 8
	shorterCommit = 7
)

func cut(text string, length int) string { return text[:min(len(text), length)] }
