package cli

import (
	"context"
	"log/slog"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/inspect"
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
func (g *global) inspect(ctx context.Context, h *hub, mirrors []source.Mirror) (*inspect.Inspector, error) {
	log, err := logTo(g.Err, "text", slog.LevelError)
	if err != nil {
		return nil, err
	}
	inspector, err := inspect.Open(ctx, h.looking(mirrors, log))
	if err != nil {
		return nil, h.explain(err)
	}
	return inspector, nil
}

// looking is how a command looks at the hub without its engine. At a local fleet
// it does as the engine of `causeway up`, which is on this machine as well; what
// another hub has may be of teams that are not to reach what this machine reaches,
// whatever the state of a fleet says that does not run.
func (h *hub) looking(mirrors []source.Mirror, log *slog.Logger) inspect.Config {
	cfg := inspect.Config{Hub: h.config, NoPrograms: h.noPrograms(), Namespace: h.namespace, Mirrors: mirrors, Log: log}
	if h.fleet != nil && h.home.Running() {
		h.fleet.AddMirrors(mirrors)
		cfg.Mirrors, cfg.PrivateHosts = h.fleet.Mirrors, true
	}
	return cfg
}
