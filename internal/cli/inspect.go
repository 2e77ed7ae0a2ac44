package cli

import (
	"context"
	"log/slog"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/source"
)

// looker looks at live objects.
type looker interface {
	trees
	Diff(ctx context.Context, app *v1alpha1.Application) ([]plan.ObjectDiff, error)
	Close()
}

// look looks with the engine's own stages, or asks the server to.
func (g *global) look(ctx context.Context, h *hub, mirrors []source.Mirror) (looker, error) {
	if h.server != nil {
		return servedLook{h.server}, nil
	}
	return g.inspect(ctx, h, mirrors)
}

// inspect gives the engine's stages without its controllers. What they log
// goes to standard error, warnings and worse. The caller closes it.
func (g *global) inspect(ctx context.Context, h *hub, mirrors []source.Mirror) (*app.Inspector, error) {
	log, err := logTo(g.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	if h.fleet != nil {
		h.fleet.AddMirrors(mirrors)
		mirrors = h.fleet.Mirrors
	}
	inspector, err := app.Inspect(ctx, app.Config{Hub: h.config, NoPrograms: h.noPrograms(), Namespace: h.namespace, Mirrors: mirrors, Log: log})
	if err != nil {
		return nil, h.explain(err)
	}
	return inspector, nil
}
