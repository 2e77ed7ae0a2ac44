package app

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
	rendersource "github.com/causeway-gitops/causeway/internal/render/source"
)

// renderSettings are what the installation says of rendering, and of how its
// objects are marked. They are safe for concurrent use; the zero value is an
// installation that says nothing.
type renderSettings struct {
	mu       sync.RWMutex
	data     map[string]string
	now      rendersource.Settings
	tracking gitops.Tracking

	comparing *plan.Settings
}

// Data is what the ConfigMap says now, key by key. It must not be changed.
func (s *renderSettings) Data() map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.data
}

// Tracking is how objects are marked now.
func (s *renderSettings) Tracking() gitops.Tracking {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tracking
}

// Comparing is what the ConfigMap says of comparisons now.
func (s *renderSettings) Comparing() *plan.Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.comparing
}

// Acting is as whom syncs write now.
func (s *renderSettings) Acting() policy.Acting { return policy.ParseActing(s.Data()) }

// Settings are what the ConfigMap says now.
func (s *renderSettings) Settings() rendersource.Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.now
}

// put takes the content of the ConfigMap, and reports whether it says something
// else than before.
func (s *renderSettings) put(data map[string]string) (changed bool) {
	now, tracking := ParseSettings(data), parseTracking(data)
	// What cannot be read is told by each application that it concerns.
	comparing, _ := plan.ParseSettings(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = !maps.Equal(s.data, data)
	s.data, s.now, s.tracking, s.comparing = data, now, tracking, comparing
	return changed
}

// parseTracking reads the keys that are about marking objects.
func parseTracking(data map[string]string) gitops.Tracking {
	return gitops.Tracking{
		Method: gitops.TrackingMethod(data[v1alpha1.SettingTracking]),
		Label:  data[v1alpha1.SettingInstanceLabel], Installation: data[v1alpha1.SettingInstallation],
	}
}

// ParseSettings reads the keys that are about rendering, as Argo CD's
// documentation of argocd-cm has them.
func ParseSettings(data map[string]string) rendersource.Settings {
	out := rendersource.Settings{BuildOptions: data[v1alpha1.SettingBuildOptions]}
	if list, ok := data[v1alpha1.SettingValueSchemes]; ok {
		out.ValueSchemes = []string{}
		for item := range strings.SplitSeq(list, ",") {
			if item = strings.ToLower(strings.TrimSpace(item)); item != "" {
				out.ValueSchemes = append(out.ValueSchemes, item)
			}
		}
	}
	for _, t := range []struct {
		key  string
		kind gitops.SourceType
	}{{v1alpha1.SettingKustomize, gitops.SourceKustomize}, {v1alpha1.SettingHelm, gitops.SourceHelm}, {v1alpha1.SettingJsonnet, gitops.SourceDirectory}} {
		if value := data[t.key]; value != "" && value != "true" {
			out.Disabled = append(out.Disabled, t.kind)
		}
	}
	return out
}

// read reads the ConfigMap once; where it is not there, nothing is said.
func (s *renderSettings) read(ctx context.Context, c client.Reader, namespace string) error {
	data, err := follow.Read(ctx, c, namespace, v1alpha1.SettingsName)
	if err != nil {
		return fmt.Errorf("cannot read ConfigMap %s in namespace %s: %w", v1alpha1.SettingsName, namespace, err)
	}
	s.put(data)
	return nil
}

// readSettings reads the settings before the first application is looked at.
// Without them no engine starts: they say as whom syncs write, which projects
// others inherit from, and which kinds are left alone.
func (e *Engine) readSettings(ctx context.Context, c client.Reader) error {
	if err := e.settings.read(ctx, c, e.cfg.Namespace); err != nil {
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
			e.reread(ctx)
			e.router.all(ctx)
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
	return e.settings.put(data)
}
