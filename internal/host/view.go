package host

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// everyBranch is a Forge for a generator that looks at all branches: the
// default ones are not asked for their commits.
type everyBranch struct{ Forge }

// Repositories lists names, without commits where they would cost a request.
func (v everyBranch) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	return names(ctx, v.Forge)
}

// defaultBranch is a Forge for a generator that looks at the default branch
// only.
type defaultBranch struct{ Forge }

// Repositories lists names, without commits where they would cost a request.
func (v defaultBranch) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	return names(ctx, v.Forge)
}

// Branches is the default branch with its commit, or nothing where the
// repository is empty.
func (v defaultBranch) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	if l, ok := v.Forge.(Lister); ok {
		return l.Heads(ctx, []gitops.HostRepository{r})
	}
	return []gitops.HostRepository{r}, nil
}

func names(ctx context.Context, f Forge) ([]gitops.HostRepository, error) {
	if l, ok := f.(Lister); ok {
		return l.Names(ctx)
	}
	return f.Repositories(ctx)
}

// look makes a Forge that looks as a generator wants, of what a host's
// constructor returns.
func look[F Forge](f F, err error, allBranches bool) (Forge, error) {
	if err != nil {
		return nil, err
	}
	if allBranches {
		return everyBranch{f}, nil
	}
	return defaultBranch{f}, nil
}

// review keeps a failed constructor from becoming Reviews that are nil inside.
func review[R Reviews](r R, err error) (Reviews, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}
