// Package host lists repositories and pull requests of Git hosts, and keeps
// one comment on a pull request up to date.
//
// Each host is a package of its own below this one, which speaks the host's
// API with the host's client. Secrets come from the caller; nothing is cached.
package host

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Forge is an organisation, group or project of a Git host.
type Forge interface {
	// Repositories lists all repositories at their default branch; those
	// that have no branch at all are left out.
	Repositories(ctx context.Context) ([]gitops.HostRepository, error)
	// Branches lists a repository at each of its branches.
	Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error)
	// HasPath reports whether a file or folder is there at the repository's branch.
	HasPath(ctx context.Context, r gitops.HostRepository, path string) (bool, error)
}

// Lister is a Forge that tells names first and commits later. Commits take a
// request for each repository, which is not spent on those that a filter
// leaves out.
type Lister interface {
	// Names lists all repositories with the name of their default branch and
	// without its commit; some may turn out to be empty.
	Names(ctx context.Context) ([]gitops.HostRepository, error)
	// Heads adds the newest commit of its branch to each, and leaves out
	// those that are empty.
	Heads(ctx context.Context, all []gitops.HostRepository) ([]gitops.HostRepository, error)
}

// Reviews are the open pull requests of one repository.
type Reviews interface {
	PullRequests(ctx context.Context) ([]gitops.PullRequest, error)
}

// Commenter writes comments on one pull request.
type Commenter interface {
	// Comment replaces the comment that holds the marker, or adds one; what
	// it writes holds the marker. It returns the comment's address.
	Comment(ctx context.Context, marker, markdown string) (url string, err error)
}
