package azuredevops

import (
	"context"

	"github.com/microsoft/azure-devops-go-api/azuredevops/v7/git"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Repositories implements host.Forge.
func (c *Client) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := c.Names(ctx)
	if err != nil {
		return nil, err
	}
	return c.Heads(ctx, all)
}

// Names implements host.Lister. Disabled repositories are left out: nobody
// can read them. The API lists them all at once.
func (c *Client) Names(ctx context.Context) ([]gitops.HostRepository, error) {
	all, err := list(c.subject, func() (*[]git.GitRepository, error) {
		return c.api.GetRepositories(ctx, git.GetRepositoriesArgs{Project: &c.o.TeamProject})
	})
	if err != nil {
		return nil, err
	}
	var out []gitops.HostRepository
	for _, r := range all {
		if r.Name == nil || r.Id == nil || r.RemoteUrl == nil || r.DefaultBranch == nil || value(r.IsDisabled) {
			continue
		}
		out = append(out, gitops.HostRepository{
			Organization: c.o.Organization, Repository: *r.Name, ID: r.Id.String(), URL: *r.RemoteUrl, Branch: branchName(*r.DefaultBranch),
		})
	}
	return out, nil
}

// Heads implements host.Lister.
func (c *Client) Heads(ctx context.Context, all []gitops.HostRepository) ([]gitops.HostRepository, error) {
	return wire.Map(ctx, c.subject, all, c.head)
}

// head is false where the repository went away, or may not be read.
func (c *Client) head(ctx context.Context, r gitops.HostRepository) (gitops.HostRepository, bool, error) {
	id := identity(r)
	b, err := call(c.subject, func() (*git.GitBranchStats, error) {
		return c.api.GetBranch(ctx, git.GetBranchArgs{Project: &c.o.TeamProject, RepositoryId: &id, Name: &r.Branch})
	})
	if says(err, noRepository) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	r, ok := at(r, b)
	if !ok {
		return r, false, c.malformed()
	}
	return r, true, nil
}

// Branches implements host.Forge. The API lists them all at once.
func (c *Client) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	id := identity(r)
	all, err := list(c.subject, func() (*[]git.GitBranchStats, error) {
		return c.api.GetBranches(ctx, git.GetBranchesArgs{Project: &c.o.TeamProject, RepositoryId: &id})
	})
	if says(err, noRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := make([]gitops.HostRepository, 0, len(all))
	for _, b := range all {
		one, ok := at(r, b)
		if !ok {
			return nil, c.malformed()
		}
		out = append(out, one)
	}
	return out, nil
}

// HasPath implements host.Forge.
func (c *Client) HasPath(ctx context.Context, r gitops.HostRepository, file string) (bool, error) {
	file, err := wire.Path(file)
	if err != nil || file == "" {
		return err == nil, err
	}
	id := identity(r)
	version := git.GitVersionDescriptor{Version: &r.Branch, VersionType: &git.GitVersionTypeValues.Branch}
	_, err = call(c.subject, func() (*git.GitItem, error) {
		return c.api.GetItem(ctx, git.GetItemArgs{Project: &c.o.TeamProject, RepositoryId: &id, Path: &file, VersionDescriptor: &version})
	})
	if says(err, noItem, noBranches) {
		return false, nil
	}
	return err == nil, err
}

// identity names the repository in requests.
func identity(r gitops.HostRepository) string {
	if r.ID != "" {
		return r.ID
	}
	return r.Repository
}

func at(r gitops.HostRepository, b git.GitBranchStats) (gitops.HostRepository, bool) {
	if b.Name == nil || b.Commit == nil || b.Commit.CommitId == nil {
		return r, false
	}
	r.Branch, r.SHA = *b.Name, *b.Commit.CommitId
	return r, true
}
