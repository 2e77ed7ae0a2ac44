package cli

import (
	"context"
	"log/slog"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/source"
)

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
	inspector, err := app.Inspect(ctx, app.Config{Hub: h.config, Namespace: h.namespace, Mirrors: mirrors, Log: log})
	if err != nil {
		return nil, h.explain(err)
	}
	return inspector, nil
}
