package gitea

import (
	"context"
	"errors"
	"strconv"

	"code.gitea.io/sdk/gitea"

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

// Names implements host.Lister. Labels are those that issues of the repository
// can have, as in Argo CD, and take a request for each repository.
func (c *Client) Names(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := list(ctx, c, func(r *gitea.Repository) string { return strconv.FormatInt(r.ID, 10) }, func(api *gitea.Client, o gitea.ListOptions) ([]*gitea.Repository, *gitea.Response, error) {
		return api.ListOrgRepos(c.o.Owner, gitea.ListOrgReposOptions{ListOptions: o})
	}, func(r *gitea.Repository) (gitops.HostRepository, bool, error) {
		return c.repository(r), !r.Empty && (!r.Archived || !c.o.ExcludeArchivedRepos), nil
	})
	if err != nil {
		return nil, err
	}
	return wire.Map(ctx, c.subject, all, func(ctx context.Context, r gitops.HostRepository) (_ gitops.HostRepository, _ bool, err error) {
		r.Labels, err = c.labels(ctx, r.Repository)
		return r, true, err
	})
}

func (c *Client) repository(r *gitea.Repository) gitops.HostRepository {
	address := r.SSHURL
	if c.o.CloneProtocol == "https" {
		address = r.HTMLURL
	}
	return gitops.HostRepository{
		Organization: c.o.Owner, Repository: r.Name, ID: strconv.FormatInt(r.ID, 10), URL: address,
		Branch: r.DefaultBranch, Archived: r.Archived,
	}
}

func (c *Client) labels(ctx context.Context, repository string) ([]string, error) {
	return list(ctx, c, func(l *gitea.Label) string { return strconv.FormatInt(l.ID, 10) }, func(api *gitea.Client, o gitea.ListOptions) ([]*gitea.Label, *gitea.Response, error) {
		return api.ListRepoLabels(c.o.Owner, repository, gitea.ListLabelsOptions{ListOptions: o})
	}, func(l *gitea.Label) (string, bool, error) { return l.Name, true, nil })
}

func names(labels []*gitea.Label) []string {
	var all []string
	for _, l := range labels {
		all = append(all, l.Name)
	}
	return all
}

// Heads implements host.Lister.
func (c *Client) Heads(ctx context.Context, all []gitops.HostRepository) ([]gitops.HostRepository, error) {
	return wire.Map(ctx, c.subject, all, c.head)
}

// head fails for a default branch that is not there, as in Argo CD: Gitea says
// by itself which repositories are empty.
func (c *Client) head(ctx context.Context, r gitops.HostRepository) (gitops.HostRepository, bool, error) {
	api, err := c.api(ctx)
	if err != nil {
		return r, false, c.explain(err)
	}
	branch, _, err := api.GetRepoBranch(r.Organization, r.Repository, r.Branch)
	if wire.IsNotFound(err) {
		p := gitops.Problemf(gitops.NotFound, "cannot read %s: the default branch %q of %s is not there", c.subject, r.Branch, r.Repository)
		return r, false, p.Do("correct the default branch in the repository's settings")
	}
	if err == nil && (branch.Commit == nil || branch.Commit.ID == "") {
		err = errNoCommit
	}
	if err != nil {
		return r, false, c.explain(err)
	}
	r.SHA = branch.Commit.ID
	return r, true, nil
}

// Branches implements host.Forge.
func (c *Client) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	return list(ctx, c, func(b *gitea.Branch) string { return b.Name }, func(api *gitea.Client, o gitea.ListOptions) ([]*gitea.Branch, *gitea.Response, error) {
		return api.ListRepoBranches(r.Organization, r.Repository, gitea.ListRepoBranchesOptions{ListOptions: o})
	}, func(b *gitea.Branch) (gitops.HostRepository, bool, error) {
		if b.Commit == nil {
			return r, false, errNoCommit
		}
		one := r
		one.Branch, one.SHA = b.Name, b.Commit.ID
		return one, true, nil
	})
}

// HasPath implements host.Forge.
func (c *Client) HasPath(ctx context.Context, r gitops.HostRepository, path string) (bool, error) {
	path, err := wire.Path(path)
	if err != nil {
		return false, err
	}
	api, err := c.api(ctx)
	if err != nil {
		return false, c.explain(err)
	}
	_, _, err = api.GetContents(r.Organization, r.Repository, r.Branch, path)
	if wire.IsNotFound(err) {
		return false, nil
	}
	var p *gitops.Problem
	if errors.As(err, &p) || ctx.Err() != nil {
		return false, c.explain(err)
	}
	// Any other error says that what is there is a folder.
	return true, nil
}
