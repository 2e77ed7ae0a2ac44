package hub

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/source"
)

// RenderInput fetches what an application is rendered from. It asks no
// project: at a hub the application is admitted before, and a checkout has none to ask.
func RenderInput(ctx context.Context, sources *source.Registry, namespace string, app *v1alpha1.Application, facts gitops.Facts) (render.Input, error) {
	in := render.Input{App: app, Facts: facts, TrackingName: gitops.TrackingName(app.Namespace, app.Name, namespace)}
	all := app.Spec.GetSources()
	for i := range all {
		snap, err := sources.Snapshot(ctx, gitops.SourceOf(app, &all[i], all[i].TargetRevision))
		if err != nil {
			return in, err
		}
		in.Snapshots = append(in.Snapshots, snap)
	}
	return in, nil
}
