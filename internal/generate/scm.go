package generate

import (
	"context"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
)

type scmKind struct{}

func (scmKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.SCMProvider == nil {
		return nil
	}
	return &g.SCMProvider.Template
}

// params has a set for each branch of each repository that the filters keep.
func (scmKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	if r.hosts == nil {
		return nil, offline("scmProvider", "Git hosts")
	}
	if err := r.asksForge(g.SCMProvider); err != nil {
		return nil, err
	}
	filters, err := readRepoFilters(g.SCMProvider.Filters, r.expressions)
	if err != nil {
		return nil, err
	}
	forge, err := r.hosts.Forge(r.ctx, r.set.Namespace, g.SCMProvider)
	if err != nil {
		return nil, unreachable(errorf("cannot open the Git host of the scmProvider generator: %w", err))
	}
	found, err := seat.Away(r.ctx, "", func(ctx context.Context) ([]gitops.HostRepository, error) { return branchesOf(ctx, forge, filters) })
	if err != nil {
		return nil, unreachable(errorf("cannot list repositories of the scmProvider generator: %w", err))
	}
	var out []paramSet
	for _, repo := range found {
		p := repositoryParams(repo)
		if err := r.addValues(p, g.SCMProvider.Values); err != nil {
			return nil, errorf("cannot render values for repository %s: %w", repo.Repository, err)
		}
		if out, err = r.keep(out, p, weigh(p)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// repositoryParams are texts in both modes.
func repositoryParams(r gitops.HostRepository) Params {
	return Params{
		"organization": r.Organization, "repository": r.Repository, "repository_id": r.ID, "url": r.URL,
		"branch": r.Branch, "branchNormalized": normalize(r.Branch),
		"sha": r.SHA, "short_sha": cut(r.SHA, shortCommit), "short_sha_7": cut(r.SHA, shorterCommit),
		"labels": strings.Join(r.Labels, ","),
	}
}

// asking bounds the requests to one host at a time.
const asking = 8

// branchesOf lists what the filters keep, in the host's order: first of the
// repositories, then of their branches. What it lists of all of them is bounded.
func branchesOf(ctx context.Context, forge Forge, filters repoFilters) ([]gitops.HostRepository, error) {
	held := &listed{of: "scmProvider", fix: "ask for a smaller organization, keep fewer repositories by repositoryMatch or labelMatch, or do without allBranches"}
	all, err := forge.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	if err := held.take(all); err != nil {
		return nil, err
	}
	var repos []gitops.HostRepository
	for _, repo := range all {
		keep, err := filters.keepRepository(repo)
		if err != nil {
			return nil, err
		}
		if keep {
			repos = append(repos, repo)
		}
	}
	branches, err := sideBySide(ctx, repos, func(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
		found, err := forge.Branches(ctx, r)
		if err != nil {
			return nil, err
		}
		return found, held.take(found)
	})
	if err != nil {
		return nil, err
	}
	return sideBySide(ctx, branches, func(ctx context.Context, b gitops.HostRepository) ([]gitops.HostRepository, error) {
		keep, err := filters.keepBranch(ctx, forge, b)
		if err != nil || !keep {
			return nil, err
		}
		return []gitops.HostRepository{b}, nil
	})
}

// sideBySide asks for each item, several at a time, and joins the answers in
// the items' order. The first error ends it.
func sideBySide(ctx context.Context, items []gitops.HostRepository, ask func(context.Context, gitops.HostRepository) ([]gitops.HostRepository, error)) ([]gitops.HostRepository, error) {
	answers := make([][]gitops.HostRepository, len(items))
	g, ctx := crew.WithContext(ctx)
	g.SetLimit(asking)
	for i, item := range items {
		g.Go(func() (err error) {
			if err = ctx.Err(); err == nil {
				answers[i], err = ask(ctx, item)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []gitops.HostRepository
	for _, a := range answers {
		out = append(out, a...)
	}
	return out, nil
}
