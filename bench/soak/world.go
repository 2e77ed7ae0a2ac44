package main

import (
	"context"
	"net/http"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/test/faults/proxy"
	"github.com/causeway-gitops/causeway/test/faults/subject"
	"github.com/causeway-gitops/causeway/test/faults/witness"
)

// world is a control plane, a proxy before it, and an engine behind that.
type world struct {
	dir          string
	cluster      *embedded.Cluster
	client       dynamic.Interface
	proxy        *proxy.Proxy
	recorder     *witness.Recorder
	stopWatching context.CancelFunc
	engine       *subject.Engine
	shared       *proxy.Schedule

	mu        sync.Mutex
	schedules map[string]*proxy.Schedule
}

func (w *world) close() {
	if w.engine != nil {
		w.engine.Halt()
	}
	if w.stopWatching != nil {
		w.stopWatching()
		w.recorder.Wait()
	}
	if w.proxy != nil {
		w.proxy.Close()
	}
	if w.cluster != nil {
		_ = w.cluster.Stop()
	}
}

// schedule finds the scene that a request belongs to.
func (w *world) schedule(r *http.Request) *proxy.Schedule {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range proxy.Segments(r) {
		name, _, _ := strings.Cut(s, ".")
		if found := w.schedules[witness.SceneOf(name)]; found != nil {
			return found
		}
	}
	return w.shared
}

func (w *world) setSchedule(name string, s *proxy.Schedule) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s == nil {
		delete(w.schedules, name)
		return
	}
	w.schedules[name] = s
}

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

func resourceOf(kind string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: strings.ToLower(kind) + "s"}
}

func (w *world) namespace(ctx context.Context, name string) error {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
	_, err := w.client.Resource(namespaces).Create(ctx, o, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (w *world) create(ctx context.Context, text string) error {
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		return err
	}
	_, err := w.client.Resource(resourceOf(o.GetKind())).Namespace(control).Create(ctx, o, metav1.CreateOptions{})
	return err
}

func (w *world) delete(ctx context.Context, kind, name string) error {
	err := w.client.Resource(resourceOf(kind)).Namespace(control).Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
