package app

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/gitops"
	rendersource "github.com/causeway-gitops/causeway/internal/render/source"
)

// settingsMap is the ConfigMap of Argo CD that says how sources are rendered.
const settingsMap = "argocd-cm"

// renderSettings are what the installation says of rendering, and of how its
// objects are marked. They are safe for concurrent use; the zero value is an
// installation that says nothing.
type renderSettings struct {
	mu       sync.RWMutex
	now      rendersource.Settings
	tracking gitops.Tracking
}

// Tracking is how objects are marked now.
func (s *renderSettings) Tracking() gitops.Tracking {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tracking
}

// Settings are what the ConfigMap says now.
func (s *renderSettings) Settings() rendersource.Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.now
}

// put takes the content of the ConfigMap, and tells whether it says something
// else than before.
func (s *renderSettings) put(data map[string]string) (changed bool) {
	now, tracking := ParseSettings(data), parseTracking(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = !reflect.DeepEqual(s.now, now) || s.tracking != tracking
	s.now, s.tracking = now, tracking
	return changed
}

// parseTracking reads the keys that are about marking objects.
func parseTracking(data map[string]string) gitops.Tracking {
	return gitops.Tracking{
		Method: gitops.TrackingMethod(data["application.resourceTrackingMethod"]),
		Label:  data["application.instanceLabelKey"], Installation: data["installationID"],
	}
}

// ParseSettings reads the keys that are about rendering, as Argo CD's
// documentation of argocd-cm has them.
func ParseSettings(data map[string]string) rendersource.Settings {
	out := rendersource.Settings{BuildOptions: data["kustomize.buildOptions"]}
	if list, ok := data["helm.valuesFileSchemes"]; ok {
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
	}{{"kustomize.enable", gitops.SourceKustomize}, {"helm.enable", gitops.SourceHelm}, {"jsonnet.enable", gitops.SourceDirectory}} {
		if value := data[t.key]; value != "" && value != "true" {
			out.Disabled = append(out.Disabled, t.kind)
		}
	}
	return out
}

// read reads the ConfigMap once; where it is not there, nothing is said.
func (s *renderSettings) read(ctx context.Context, c client.Reader, namespace string) error {
	data, err := configMap(ctx, c, namespace, settingsMap)
	if err != nil {
		return fmt.Errorf("cannot read ConfigMap %s: %w", settingsMap, err)
	}
	s.put(data)
	return nil
}

// Pauses between two attempts to follow the ConfigMap.
const (
	followPause    = time.Second
	maxFollowPause = time.Minute
)

// follow keeps the settings as the ConfigMap says until ctx ends, and calls
// changed when they say something else. The watch is limited to the one name,
// so the right to watch that name is enough.
func (s *renderSettings) follow(ctx context.Context, c client.WithWatch, namespace string, changed func(), failed func(error)) {
	pause := followPause
	for ctx.Err() == nil {
		began := time.Now()
		if err := s.watch(ctx, c, namespace, changed); err != nil && ctx.Err() == nil {
			failed(fmt.Errorf("cannot watch ConfigMap %s: %w", settingsMap, err))
			pause = min(2*pause, maxFollowPause)
		}
		if time.Since(began) > maxFollowPause {
			pause = followPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// watch reads the ConfigMap and takes its changes until the watch ends.
func (s *renderSettings) watch(ctx context.Context, c client.WithWatch, namespace string, changed func()) error {
	only := client.MatchingFields{metav1.ObjectNameField: settingsMap}
	list := &corev1.ConfigMapList{}
	if err := c.List(ctx, list, client.InNamespace(namespace), only); err != nil {
		return err
	}
	var data map[string]string
	if len(list.Items) > 0 {
		data = list.Items[0].Data
	}
	if s.put(data) {
		changed()
	}
	from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}}
	w, err := c.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace), only, from)
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		data, ok := dataOf(event)
		if ok && s.put(data) {
			changed()
		}
	}
	return nil
}

func dataOf(e watch.Event) (map[string]string, bool) {
	cm, ok := e.Object.(*corev1.ConfigMap)
	if !ok || e.Type == watch.Deleted {
		return nil, ok
	}
	return cm.Data, e.Type == watch.Added || e.Type == watch.Modified
}

// readSettings reads the settings before the first application is rendered.
func (e *Engine) readSettings(ctx context.Context, c client.Reader) {
	if err := e.settings.read(ctx, c, e.cfg.Namespace); err != nil && ctx.Err() == nil {
		e.cfg.Log.WarnContext(ctx, "applications are rendered without the settings of the installation", "error", err)
	}
}

// followSettings keeps the engine's settings, and renders all anew when they change.
func (e *Engine) followSettings(ctx context.Context) error {
	c, err := client.NewWithWatch(e.cfg.Hub, client.Options{Scheme: e.manager.GetScheme()})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	e.settings.follow(ctx, c, e.cfg.Namespace,
		func() {
			e.cfg.Log.InfoContext(ctx, "settings of rendering changed", "configmap", settingsMap)
			e.router.all(ctx)
		},
		func(err error) { e.cfg.Log.WarnContext(ctx, "settings of rendering stay as they are", "error", err) })
	return nil
}
