package hub

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm/web"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// ownFiles has single files of mirrors that belong to who looks.
type ownFiles struct{ mirror.Table }

// NewOwnFiles has what lies in the mirrors, whoever asks.
func NewOwnFiles(mirrors []source.Mirror) web.Local { return ownFiles{source.NewFiles(mirrors)} }

// File implements web.Local.
func (f ownFiles) File(_ context.Context, address, _ string) ([]byte, error) {
	return f.Table.File(address)
}

// mirroredFiles has single files of mirrors for projects that permit a repository
// in which they lie. Others would read by the name of a file what no public host
// has.
type mirroredFiles struct {
	mirror.Table
	Projects interface {
		Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	}
}

// mirroredFor are the files of an engine's mirrors, or of a command's at its hub:
// where the engine is on the machine of who uses it they are theirs.
func mirroredFor(r Reading, p Projects) web.Local {
	if r.PrivateHosts {
		return undenied{NewOwnFiles(r.Mirrors), p}
	}
	return undenied{mirroredFiles{source.NewFiles(r.Mirrors), p}, p}
}

// File implements web.Local.
func (m mirroredFiles) File(ctx context.Context, address, project string) ([]byte, error) {
	if !m.Stands(address) {
		return m.Table.File(address) // which lacks it
	}
	permits, err := m.permits(ctx, address, project)
	if err != nil {
		return nil, err
	}
	if !permits {
		return nil, gitops.Problemf(gitops.Refused, "cannot read %s: a mirror stands for it, and project %q permits no repository that it lies in", gitops.PublicAddress(address), project).
			Do("add the repository to spec.sourceRepos of the project if it is to be read")
	}
	return m.Table.File(address)
}

// permits reports whether a project permits the file, or something that holds it,
// and denies none of these.
func (m mirroredFiles) permits(ctx context.Context, address, project string) (bool, error) {
	p, err := m.Projects.Project(ctx, project)
	if err != nil {
		return false, err
	}
	return permitsOne(p, placesOf(address))
}
