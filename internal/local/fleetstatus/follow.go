package fleetstatus

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Follow watches the Applications and ApplicationSets of the control namespace
// until ctx ends. servers has the clusters' names by their address.
func (b *Board) Follow(ctx context.Context, hub *rest.Config, namespace string, servers map[string]string) error {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return fmt.Errorf("cannot register the API types: %w", err)
	}
	c, err := client.NewWithWatch(hub, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("cannot reach the hub: %w", err)
	}
	apps := informer(c, namespace, &v1alpha1.Application{}, &v1alpha1.ApplicationList{}, func(app *v1alpha1.Application, gone bool) {
		b.update(func() {
			if gone {
				delete(b.apps, app.Name)
				return
			}
			b.apps[app.Name] = AppOf(app, servers)
		})
	})
	sets := informer(c, namespace, &v1alpha1.ApplicationSet{}, &v1alpha1.ApplicationSetList{}, func(set *v1alpha1.ApplicationSet, gone bool) {
		b.update(func() {
			if gone {
				delete(b.sets, set.Name)
				return
			}
			b.sets[set.Name] = SetOf(set)
		})
	})
	done := make(chan struct{})
	go func() { defer close(done); sets.RunWithContext(ctx) }() // waited for below
	defer func() { <-done }()
	marked := make(chan struct{})
	go func() { // ends with ctx, waited for below
		defer close(marked)
		if cache.WaitForCacheSync(ctx.Done(), apps.HasSynced, sets.HasSynced) {
			b.update(func() { b.base.Watching = true })
		}
	}()
	defer func() { <-marked }()
	apps.RunWithContext(ctx)
	return nil
}

func informer[T client.Object, L client.ObjectList](c client.WithWatch, namespace string, kind T, list L, seen func(T, bool)) cache.Controller {
	raw := func(o metav1.ListOptions) *client.ListOptions {
		return &client.ListOptions{Namespace: namespace, Raw: &o}
	}
	_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
		ObjectType: kind,
		ListerWatcher: &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				items, ok := list.DeepCopyObject().(L)
				if !ok {
					return nil, fmt.Errorf("%T is no list", list)
				}
				return items, c.List(ctx, items, raw(o))
			},
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				return c.Watch(ctx, list, raw(o))
			},
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { tell(obj, false, seen) },
			UpdateFunc: func(_, obj any) { tell(obj, false, seen) },
			DeleteFunc: func(obj any) { tell(obj, true, seen) },
		},
	})
	return controller
}

func tell[T client.Object](obj any, gone bool, seen func(T, bool)) {
	if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = last.Obj
	}
	if item, ok := obj.(T); ok {
		seen(item, gone)
	}
}
