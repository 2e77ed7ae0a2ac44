package app

import (
	"context"
	"fmt"
	"os"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
)

// RenderOffline renders an application without a hub: sources come from
// mirrors, or without credentials. Of cfg only the namespace, the mirrors and
// the log count.
func RenderOffline(ctx context.Context, cfg Config, app *v1alpha1.Application, facts gitops.Facts) (*gitops.Rendering, error) {
	folder, err := os.MkdirTemp("", "causeway-render-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	sources, err := source.New(source.Options{CacheDir: folder, Interval: defaultInterval, Mirrors: cfg.Mirrors, Credentials: &source.Credentials{}, Log: cfg.Log})
	if err != nil {
		return nil, err
	}
	defer func() { _ = sources.Close() }()
	return renderWith(ctx, sources, newRenderer(cfg, sources), orElse(cfg.Namespace, defaultNamespace), app, facts)
}
