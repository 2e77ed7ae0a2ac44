package github

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/go-github/v74/github"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

var errNoCommit = errors.New("a branch without a commit")

// Repositories implements host.Forge.
func (c *Client) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := c.Names(ctx)
	if err != nil {
		return nil, err
	}
	return c.Heads(ctx, all)
}

// Names implements host.Lister.
func (c *Client) Names(ctx context.Context) ([]gitops.HostRepository, error) {
	return wire.Pages(c.subject, 1, func(page int) ([]gitops.HostRepository, int, error) {
		items, res, err := c.api.Repositories.ListByOrg(ctx, c.o.Organization, &github.RepositoryListByOrgOptions{ListOptions: github.ListOptions{Page: page, PerPage: pageSize}})
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(r *github.Repository) (gitops.HostRepository, bool, error) {
			return c.repository(r), !r.GetArchived() || !c.o.ExcludeArchivedRepos, nil
		})
		return kept, next(res), err
	})
}

func (c *Client) repository(r *github.Repository) gitops.HostRepository {
	address := r.GetSSHURL()
	if c.o.CloneProtocol == "https" {
		address = r.GetCloneURL()
	}
	return gitops.HostRepository{
		Organization: r.GetOwner().GetLogin(), Repository: r.GetName(), ID: strconv.FormatInt(r.GetID(), 10),
		URL: address, Branch: r.GetDefaultBranch(), Labels: r.Topics, Archived: r.GetArchived(),
	}
}

// Heads implements host.Lister.
func (c *Client) Heads(ctx context.Context, all []gitops.HostRepository) ([]gitops.HostRepository, error) {
	return wire.Map(ctx, c.subject, all, c.head)
}

// head is false for an empty repository: it names a default branch that is
// not there.
func (c *Client) head(ctx context.Context, r gitops.HostRepository) (gitops.HostRepository, bool, error) {
	if r.Branch == "" {
		return r, false, nil
	}
	branch, _, err := c.api.Repositories.GetBranch(ctx, r.Organization, r.Repository, r.Branch, 0)
	if wire.IsNotFound(err) {
		return r, false, nil
	}
	if err != nil {
		return r, false, c.explain(err)
	}
	r.Branch, r.SHA = branch.GetName(), branch.GetCommit().GetSHA()
	if r.SHA == "" {
		return r, false, c.explain(errNoCommit)
	}
	return r, true, nil
}

// Branches implements host.Forge.
func (c *Client) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	return wire.Pages(c.subject, 1, func(page int) ([]gitops.HostRepository, int, error) {
		items, res, err := c.api.Repositories.ListBranches(ctx, r.Organization, r.Repository, &github.BranchListOptions{ListOptions: github.ListOptions{Page: page, PerPage: pageSize}})
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(b *github.Branch) (gitops.HostRepository, bool, error) {
			one := r
			one.Branch, one.SHA = b.GetName(), b.GetCommit().GetSHA()
			return one, true, nil
		})
		return kept, next(res), err
	})
}

// HasPath implements host.Forge.
func (c *Client) HasPath(ctx context.Context, r gitops.HostRepository, path string) (bool, error) {
	path, err := wire.Path(path)
	if err != nil {
		return false, err
	}
	_, _, _, err = c.api.Repositories.GetContents(ctx, r.Organization, r.Repository, path, &github.RepositoryContentGetOptions{Ref: r.Branch}) //nolint:dogsled // only whether it is there matters
	if wire.IsNotFound(err) {
		return false, nil
	}
	return err == nil, c.explain(err)
}

func next(res *github.Response) int {
	if res == nil {
		return 0
	}
	return res.NextPage
}
