package app

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/follow"
)

// readSettings reads the settings before the first application is looked at.
// Without them no engine starts: they say as whom syncs write, which projects
// others inherit from, and which kinds are left alone.
func (e *Engine) readSettings(ctx context.Context, c client.Reader) error {
	if err := e.settings.Read(ctx, c, e.cfg.Namespace); err != nil {
		return fmt.Errorf("%w; its settings limit what is deployed: let the engine get that ConfigMap", err)
	}
	e.customize(ctx)
	return nil
}

// followSettings keeps the engine's settings, and renders all anew when they change.
func (e *Engine) followSettings(ctx context.Context) error {
	c, err := client.NewWithWatch(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	f := follow.ConfigMap{
		Namespace: e.cfg.Namespace, Name: v1alpha1.SettingsName, Put: func(data map[string]string) bool { return e.putSettings(ctx, data) },
		Changed: func() {
			e.cfg.Log.InfoContext(ctx, "settings of rendering changed", "configmap", v1alpha1.SettingsName)
			e.customize(ctx)
			e.router.ClusterSecrets(ctx)
			e.router.All(ctx)
		},
		Failed: func(err error) { e.cfg.Log.WarnContext(ctx, "settings of rendering stay as they are", "error", err) },
	}
	f.Follow(ctx, c)
	return nil
}

// putSettings takes what the ConfigMap says. Where it is gone, what it said holds
// on: as whom syncs write, and what is left alone, must not change because
// somebody uninstalled what had it. An empty one says nothing.
func (e *Engine) putSettings(ctx context.Context, data map[string]string) (changed bool) {
	if data == nil && len(e.settings.Data()) > 0 {
		const gone = "the ConfigMap is gone, and its settings hold until the engine starts again: create it anew, without data if it is to say nothing"
		e.cfg.Log.WarnContext(ctx, gone, "configmap", v1alpha1.SettingsName)
		e.tell("SettingsGone", gone)
		return false
	}
	return e.settings.Put(data)
}
