package codecommit

import (
	"context"
	"errors"
	"path"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/codecommit"
	"github.com/aws/aws-sdk-go-v2/service/codecommit/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// HasPath implements host.Forge. It looks into the folder above, which has
// files, folders, links and submodules: asking for a file would fetch it whole.
func (c *Client) HasPath(ctx context.Context, r gitops.HostRepository, file string) (bool, error) {
	file, err := wire.Path(file)
	if err != nil {
		return false, err
	}
	file = path.Clean("/" + file)
	if file == "/" {
		return true, nil
	}
	folder := path.Dir(file)
	out, err := c.api.GetFolder(ctx, &codecommit.GetFolderInput{RepositoryName: &r.Repository, CommitSpecifier: &r.Branch, FolderPath: &folder})
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, c.explain(err)
	}
	if out.TreeId == nil && out.CommitId == nil {
		return false, c.malformed()
	}
	return holds(out, path.Base(file)), nil
}

// absent reports whether there is no such folder, and so nothing in it.
func absent(err error) bool {
	var (
		repository *types.RepositoryDoesNotExistException
		commit     *types.CommitDoesNotExistException
		folder     *types.FolderDoesNotExistException
	)
	return errors.As(err, &repository) || errors.As(err, &commit) || errors.As(err, &folder)
}

func holds(folder *codecommit.GetFolderOutput, name string) bool {
	var names []*string
	for _, f := range folder.Files {
		names = append(names, f.RelativePath)
	}
	for _, f := range folder.SubFolders {
		names = append(names, f.RelativePath)
	}
	for _, f := range folder.SymbolicLinks {
		names = append(names, f.RelativePath)
	}
	for _, f := range folder.SubModules {
		names = append(names, f.RelativePath)
	}
	for _, n := range names {
		if aws.ToString(n) == name {
			return true
		}
	}
	return false
}
