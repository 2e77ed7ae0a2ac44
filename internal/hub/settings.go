package hub

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

// Settings are what the installation says of rendering, and of how its
// objects are marked. They are safe for concurrent use; the zero value is an
// installation that says nothing.
type Settings struct {
	mu       sync.RWMutex
	data     map[string]string
	now      rendersource.Settings
	tracking gitops.Tracking

	comparing *plan.Settings
}

// Data is what the ConfigMap says now, key by key. It must not be changed.
func (s *Settings) Data() map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.data
}

// Tracking is how objects are marked now.
func (s *Settings) Tracking() gitops.Tracking {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tracking
}

// Comparing is what the ConfigMap says of comparisons now.
func (s *Settings) Comparing() *plan.Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.comparing
}

// Acting is as whom syncs write now.
func (s *Settings) Acting() policy.Acting { return policy.ParseActing(s.Data()) }

// Settings are what the ConfigMap says now.
func (s *Settings) Settings() rendersource.Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.now
}

// Put takes the content of the ConfigMap, and reports whether it says something
// else than before.
func (s *Settings) Put(data map[string]string) (changed bool) {
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

// Read reads the ConfigMap once; where it is not there, nothing is said.
func (s *Settings) Read(ctx context.Context, c client.Reader, namespace string) error {
	data, err := follow.Read(ctx, c, namespace, v1alpha1.SettingsName)
	if err != nil {
		return fmt.Errorf("cannot read ConfigMap %s in namespace %s: %w", v1alpha1.SettingsName, namespace, err)
	}
	s.Put(data)
	return nil
}
