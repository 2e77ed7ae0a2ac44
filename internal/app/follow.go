package app

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// followed is a ConfigMap whose content is taken whenever it changes. The
// watch is limited to the one name, so the right to watch that name is enough.
type followed struct {
	namespace, name string
	// put takes the content, nil when the ConfigMap is not there, and tells
	// whether it says something else than before.
	put     func(map[string]string) bool
	changed func()
	failed  func(error)
}

// Pauses between two attempts to follow a ConfigMap.
const (
	followPause    = time.Second
	maxFollowPause = time.Minute
)

// follow works until ctx ends.
func (f *followed) follow(ctx context.Context, c client.WithWatch) {
	pause := followPause
	for ctx.Err() == nil {
		began := time.Now()
		if err := f.watch(ctx, c); err != nil && ctx.Err() == nil {
			f.failed(fmt.Errorf("cannot watch ConfigMap %s: %w", f.name, err))
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
func (f *followed) watch(ctx context.Context, c client.WithWatch) error {
	only := client.MatchingFields{metav1.ObjectNameField: f.name}
	list := &corev1.ConfigMapList{}
	if err := c.List(ctx, list, client.InNamespace(f.namespace), only); err != nil {
		return err
	}
	var data map[string]string
	if len(list.Items) > 0 {
		data = list.Items[0].Data
	}
	if f.put(data) {
		f.changed()
	}
	from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}}
	w, err := c.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(f.namespace), only, from)
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		data, ok := dataOf(event)
		if ok && f.put(data) {
			f.changed()
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
