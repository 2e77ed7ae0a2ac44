package gitlab

import (
	"context"
	"errors"
	"strconv"

	gitlab "gitlab.com/gitlab-org/api/client-go"

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

// Names implements host.Lister. GitLab's parameter for archived projects limits
// the list to one kind, so with both wanted each is asked for by itself.
func (c *Client) Names(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := c.projects(ctx, false)
	if err != nil || !c.o.IncludeArchivedRepos {
		return all, err
	}
	archived, err := c.projects(ctx, true)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, r := range all {
		seen[r.ID] = true
	}
	for _, r := range archived {
		if !seen[r.ID] {
			all = append(all, r)
		}
	}
	return all, nil
}

func (c *Client) projects(ctx context.Context, archived bool) ([]gitops.HostRepository, error) {
	shared := !c.o.ExcludeSharedProjects
	o := &gitlab.ListGroupProjectsOptions{IncludeSubGroups: &c.o.IncludeSubgroups, WithShared: &shared, Archived: &archived}
	if c.o.Topic != "" {
		o.Topic = &c.o.Topic
	}
	return wire.Pages(c.subject, 1, func(page int64) ([]gitops.HostRepository, int64, error) {
		o.Page, o.PerPage = page, pageSize
		items, res, err := c.api.Groups.ListGroupProjects(c.o.Group, o, gitlab.WithContext(ctx))
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(p *gitlab.Project) (gitops.HostRepository, bool, error) { return c.repository(p), true, nil })
		return kept, next(res), err
	})
}

func (c *Client) repository(p *gitlab.Project) gitops.HostRepository {
	r := gitops.HostRepository{Repository: p.Path, ID: strconv.FormatInt(p.ID, 10), URL: p.SSHURLToRepo, Branch: p.DefaultBranch, Labels: p.Topics, Archived: p.Archived}
	if p.Namespace != nil {
		r.Organization = p.Namespace.FullPath
	}
	if c.o.CloneProtocol == "https" {
		r.URL = p.HTTPURLToRepo
	}
	if len(r.Labels) == 0 {
		r.Labels = p.TagList //nolint:staticcheck // what topics were called before GitLab 14.5
	}
	return r
}

// Heads implements host.Lister.
func (c *Client) Heads(ctx context.Context, all []gitops.HostRepository) ([]gitops.HostRepository, error) {
	return wire.Map(ctx, c.subject, all, c.head)
}

// head is false for an empty repository, and for one that is switched off.
func (c *Client) head(ctx context.Context, r gitops.HostRepository) (gitops.HostRepository, bool, error) {
	if r.Branch == "" {
		return r, false, nil
	}
	branch, _, err := c.api.Branches.GetBranch(id(r), r.Branch, gitlab.WithContext(ctx))
	if missing(err) {
		return r, false, nil
	}
	if err == nil && branch.Commit == nil {
		err = errNoCommit
	}
	if err != nil {
		return r, false, c.explain(err)
	}
	r.Branch, r.SHA = branch.Name, branch.Commit.ID
	return r, true, nil
}

// Branches implements host.Forge.
func (c *Client) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	all, err := wire.Pages(c.subject, 1, func(page int64) ([]gitops.HostRepository, int64, error) {
		items, res, err := c.api.Branches.ListBranches(id(r), &gitlab.ListBranchesOptions{ListOptions: gitlab.ListOptions{Page: page, PerPage: pageSize}}, gitlab.WithContext(ctx))
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, func(b *gitlab.Branch) (gitops.HostRepository, bool, error) {
			if b.Commit == nil {
				return r, false, errNoCommit
			}
			one := r
			one.Branch, one.SHA = b.Name, b.Commit.ID
			return one, true, nil
		})
		return kept, next(res), err
	})
	if missing(err) {
		return nil, nil
	}
	return all, err
}

// id is the project's number, which stays when the project is moved.
func id(r gitops.HostRepository) any {
	if r.ID != "" {
		return r.ID
	}
	return r.Organization + "/" + r.Repository
}

// missing is also what GitLab's client makes of a 404 by itself.
func missing(err error) bool { return wire.IsNotFound(err) || errors.Is(err, gitlab.ErrNotFound) }

func next(res *gitlab.Response) int64 {
	if res == nil {
		return 0
	}
	return res.NextPage
}
