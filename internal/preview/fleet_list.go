package preview

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
)

// listed is a fleet that is known as a list.
type listed []gitops.Cluster

func (l listed) Clusters(context.Context) ([]gitops.Cluster, error) { return l, nil }

// ExpandFor expands a set of this side as if these were the clusters of the
// fleet. Nothing of the State changes.
func (s *State) ExpandFor(ctx context.Context, set *v1alpha1.ApplicationSet, clusters []gitops.Cluster) (*generate.Expansion, error) {
	return s.Side.generator(listed(clusters)).Applications(ctx, set)
}

// RenderAs renders another version of one of the side's applications, of the
// same sources and for the same cluster.
func (s *State) RenderAs(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	now, err := s.version(app)
	if err != nil {
		return nil, err
	}
	rendering, err := s.Render(ctx, now)
	if err != nil {
		return nil, err
	}
	out := *rendering
	out.Manifests = s.Side.manifests(rendering)
	return &out, nil
}

// ValuesAs are the Helm values of another version of one of the side's
// applications.
func (s *State) ValuesAs(ctx context.Context, app *v1alpha1.Application) ([]render.SourceValues, error) {
	now, err := s.version(app)
	if err != nil {
		return nil, err
	}
	return s.Values(ctx, now)
}

// version is the application of that name as it would be.
func (s *State) version(app *v1alpha1.Application) (*App, error) {
	for id, a := range s.Apps {
		if a.Name == app.Name && (app.Namespace == "" || id.Namespace == app.Namespace) {
			now := *a
			now.Application = app
			return &now, nil
		}
	}
	return nil, gitops.Problemf(gitops.NotFound, "the repository gives no Application %q", app.Name)
}

// LineOf is where a set asks for a parameter, as file:line; empty when the
// file is not known.
func (s *State) LineOf(set *Set, parameter string) string {
	return s.Side.lineWith(set.Repo, set.Place, asked(parameter)).String()
}
