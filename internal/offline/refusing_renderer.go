package offline

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/render"
)

// refusing is a Renderer for where no engine comes after it: what the engine
// would refuse to apply is refused.
type refusing struct {
	*render.Renderer

	comparing *plan.Settings
}

// Application implements preview.Renderer.
func (r refusing) Application(ctx context.Context, in render.Input) (*gitops.Rendering, error) {
	out, err := r.Renderer.Application(ctx, in)
	if err == nil {
		err = Refusal(in.App, out, r.comparing)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Refusal is why the engine would not apply all of a rendering, as far as that
// shows without the cluster that it is for.
func Refusal(app *v1alpha1.Application, r *gitops.Rendering, comparing *plan.Settings) error {
	return plan.Refusal(plan.Want{
		App: app, Manifests: r.Manifests, Scope: object.BuiltinScope, Settings: comparing, Server: app.Spec.Destination.Server,
	})
}
