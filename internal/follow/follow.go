// Package follow reads ConfigMaps of the hub by their names, and takes what they
// say whenever that changes. It knows nothing of what they say.
package follow

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ConfigMap is one whose content is taken whenever it changes. The watch is
// limited to the one name, so the right to watch that name is enough.
type ConfigMap struct {
	Namespace, Name string
	// Put takes the content, nil when the ConfigMap is not there, and reports
	// whether it says something else than before.
	Put func(map[string]string) bool
	// Changed is called after Put told so.
	Changed func()
	// Failed is told why the content stays as it is for now.
	Failed func(error)
}

// readTime bounds a single read.
const readTime = 10 * time.Second

// Read reads a ConfigMap once; nil where it is not there.
func Read(ctx context.Context, c client.Reader, namespace, name string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	cm := &corev1.ConfigMap{}
	if err := c.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, cm); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return contentOf(cm), nil
}

// Pauses between two attempts to follow something.
const (
	Pause    = time.Second
	MaxPause = time.Minute
)

// Follow works until ctx ends.
func (m *ConfigMap) Follow(ctx context.Context, c client.WithWatch) {
	Anew(ctx, func(ctx context.Context) (bool, error) { return m.watch(ctx, c) }, func(err error) {
		m.Failed(fmt.Errorf("cannot watch ConfigMap %s: %w", m.Name, err))
	})
}

// Anew watches something again and again, until ctx ends. Each watch reports
// whether it could read at first: while none can, the pauses between them get
// longer. Failed is told why one ended that had no end of its own.
func Anew(ctx context.Context, watch func(context.Context) (read bool, err error), failed func(error)) {
	next := Pause
	for ctx.Err() == nil {
		read, err := watch(ctx)
		if read {
			next = Pause
		}
		if err != nil && ctx.Err() == nil {
			failed(err)
			next = min(2*next, MaxPause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(next):
		}
	}
}

// watch reads the ConfigMap and takes its changes until the watch ends. It reports
// whether it could be read.
func (m *ConfigMap) watch(ctx context.Context, c client.WithWatch) (read bool, err error) {
	only := client.MatchingFields{metav1.ObjectNameField: m.Name}
	list, err := m.list(ctx, c, only)
	if err != nil {
		return false, err
	}
	var data map[string]string
	if len(list.Items) > 0 {
		data = contentOf(&list.Items[0])
	}
	if m.Put(data) {
		m.Changed()
	}
	from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}}
	w, err := c.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(m.Namespace), only, from)
	if err != nil {
		return true, err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		data, ok := dataOf(event)
		if ok && m.Put(data) {
			m.Changed()
		}
	}
	return true, nil
}

func (m *ConfigMap) list(ctx context.Context, c client.Reader, only client.MatchingFields) (*corev1.ConfigMapList, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	list := &corev1.ConfigMapList{}
	return list, c.List(ctx, list, client.InNamespace(m.Namespace), only)
}

func dataOf(e watch.Event) (map[string]string, bool) {
	cm, ok := e.Object.(*corev1.ConfigMap)
	if !ok || e.Type == watch.Deleted {
		return nil, ok
	}
	return contentOf(cm), e.Type == watch.Added || e.Type == watch.Modified
}

// contentOf is that of a ConfigMap which is there, and so never nil.
func contentOf(cm *corev1.ConfigMap) map[string]string {
	if cm.Data == nil {
		return map[string]string{}
	}
	return cm.Data
}
