package gitlab

import (
	"context"

	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// HasPath implements host.Forge: a file, else a folder.
func (c *Client) HasPath(ctx context.Context, r gitops.HostRepository, path string) (bool, error) {
	path, err := wire.Path(path)
	if err != nil {
		return false, err
	}
	if path != "" {
		_, _, err := c.api.RepositoryFiles.GetFileMetaData(id(r), path, &gitlab.GetFileMetaDataOptions{Ref: &r.Branch}, gitlab.WithContext(ctx))
		if !missing(err) {
			return err == nil, c.explain(err)
		}
	}
	// Older versions answer an empty list for a folder that is not there.
	entries, _, err := c.api.Repositories.ListTree(id(r), &gitlab.ListTreeOptions{Path: &path, Ref: &r.Branch, ListOptions: gitlab.ListOptions{PerPage: 1}}, gitlab.WithContext(ctx))
	if missing(err) {
		return false, nil
	}
	return err == nil && len(entries) > 0, c.explain(err)
}
