package witness

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// watched are the kinds that scenes use, but for their own definitions.
var watched = []schema.GroupVersionResource{
	{Version: "v1", Resource: "configmaps"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"},
}

// Event is one change of one object, as etcd ordered it.
type Event struct {
	Revision uint64 // of the whole store, over all kinds
	Deleted  bool
	Key      scene.Key
	UID      string
	Content  string
	Healthy  bool
	// Operation names the run of a sync that an Application shows; empty for
	// other kinds.
	Operation string
}

// Recorder keeps every change of the namespaces that it was asked to follow.
type Recorder struct {
	client dynamic.Interface
	ended  sync.WaitGroup
	listed sync.WaitGroup // the first list of each kind

	mu      sync.Mutex
	scenes  map[string]*record // by namespace, and for Applications by name
	gaps    int
	control string
}

// record is what is known of one scene.
type record struct {
	events []Event
	live   map[scene.Key]*unstructured.Unstructured
}

// NewRecorder watches until ctx ends; Wait waits for that.
func NewRecorder(ctx context.Context, cfg *rest.Config, control string) (*Recorder, error) {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	r := &Recorder{client: client, scenes: map[string]*record{}, control: control}
	r.listed.Add(len(watched))
	for _, kind := range watched {
		r.ended.Go(func() { r.follow(ctx, kind) })
	}
	r.listed.Wait()
	return r, nil
}

// Wait returns when all watches have ended.
func (r *Recorder) Wait() { r.ended.Wait() }

// Follow begins to keep what happens in a scene.
func (r *Recorder) Follow(namespace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scenes[namespace] = &record{live: map[scene.Key]*unstructured.Unstructured{}}
}

// Forget drops a scene.
func (r *Recorder) Forget(namespace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.scenes, namespace)
}

// Events returns what happened in a scene so far.
func (r *Recorder) Events(namespace string) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.scenes[namespace].events...)
}

// Live returns the objects of a scene.
func (r *Recorder) Live(namespace string) map[scene.Key]*unstructured.Unstructured {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[scene.Key]*unstructured.Unstructured{}
	for k, v := range r.scenes[namespace].live {
		out[k] = v
	}
	return out
}

// Gaps counts how often events were missed because the API server forgot
// them for good; orders cannot be judged across a gap.
func (r *Recorder) Gaps() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gaps
}

// Unseen is how often operations may have been missed between two counts of
// gaps: each kind has a gap of its own.
func Unseen(before, after int) int { return (after - before + len(watched) - 1) / len(watched) }

// follow lists and watches one kind again and again.
func (r *Recorder) follow(ctx context.Context, kind schema.GroupVersionResource) {
	known, lost, first := "", true, sync.OnceFunc(r.listed.Done)
	defer first()
	for ctx.Err() == nil {
		if lost {
			if now := r.list(ctx, kind, known); now != "" {
				known, lost = now, false
				first()
			}
		}
		if !lost {
			known, lost = r.watch(ctx, kind, known)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// list reads what there is, and what happened since a revision up to which
// everything is known. It returns the revision of the list, or nothing.
func (r *Recorder) list(ctx context.Context, kind schema.GroupVersionResource, since string) string {
	list, err := r.client.Resource(kind).List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	var missed []*unstructured.Unstructured
	if since != "" {
		missed, err = r.missed(ctx, kind, since, list)
	}
	if err != nil && !tooOld(err) {
		return ""
	}
	for _, o := range missed {
		r.take(watch.Modified, o)
	}
	r.mu.Lock()
	if since == "" || err != nil {
		r.gaps++
	}
	for _, known := range r.scenes {
		for key, o := range known.live {
			if o.GroupVersionKind().Group == kind.Group && plural(key.Kind) == kind.Resource {
				delete(known.live, key)
			}
		}
	}
	r.mu.Unlock()
	for i := range list.Items {
		r.take(watch.Added, &list.Items[i])
	}
	return list.GetResourceVersion()
}

func plural(kind string) string {
	return map[string]string{"ConfigMap": "configmaps", "Deployment": "deployments", "Job": "jobs", "Application": "applications"}[kind]
}

// watch returns the revision up to which everything is known, and whether the
// API server can tell no more from there on.
func (r *Recorder) watch(ctx context.Context, kind schema.GroupVersionResource, revision string) (known string, lost bool) {
	w, err := r.client.Resource(kind).Watch(ctx, metav1.ListOptions{ResourceVersion: revision, AllowWatchBookmarks: true})
	if err != nil {
		return revision, tooOld(err)
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		o, ok := e.Object.(*unstructured.Unstructured)
		if e.Type == watch.Error || !ok {
			return revision, true
		}
		revision = o.GetResourceVersion()
		if e.Type != watch.Bookmark {
			r.take(e.Type, o)
		}
	}
	return revision, false
}

func (r *Recorder) take(kind watch.EventType, o *unstructured.Unstructured) {
	o.SetManagedFields(nil)
	key := scene.Key{Kind: o.GetKind(), Name: o.GetName()}
	namespace := o.GetNamespace()
	if key.Kind == "Application" {
		namespace = SceneOf(o.GetName())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.scenes[namespace]
	if known == nil {
		return
	}
	known.events = append(known.events, Event{
		Revision: revisionOf(o), Deleted: kind == watch.Deleted, Key: key, UID: string(o.GetUID()),
		Content: o.GetAnnotations()[scene.ContentAnnotation], Healthy: healthy(o), Operation: operation(o),
	})
	if kind == watch.Deleted {
		delete(known.live, key)
		return
	}
	known.live[key] = o
}
