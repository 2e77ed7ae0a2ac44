package appcache

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/outline"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Apps reads Applications from the shared cache, but never an older one than
// this process has written itself: a reconcile that starts before the cache
// has seen our own status write must not act on the status before it.
type Apps struct {
	client client.Client

	mu      sync.Mutex
	written map[types.NamespacedName]*v1alpha1.Application
}

// New wraps a client whose reads are cached.
func New(c client.Client) *Apps {
	return &Apps{client: c, written: map[types.NamespacedName]*v1alpha1.Application{}}
}

// Get returns a copy that the caller may change.
func (a *Apps) Get(ctx context.Context, name types.NamespacedName) (*v1alpha1.Application, error) {
	app := &v1alpha1.Application{}
	if err := a.client.Get(ctx, name, app); err != nil {
		a.forget(name)
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	own, ok := a.written[name]
	if !ok {
		return app, nil
	}
	if own.UID == app.UID && newer(own.ResourceVersion, app.ResourceVersion) {
		return own.DeepCopy(), nil
	}
	delete(a.written, name)
	return app, nil
}

// Has reports whether there is an Application of a name. When it cannot be
// told, there is.
func (a *Apps) Has(ctx context.Context, name types.NamespacedName) bool {
	return !apierrors.IsNotFound(a.client.Get(ctx, name, &v1alpha1.Application{}))
}

// All are the Applications that the cache has. They must not be changed.
func (a *Apps) All(ctx context.Context) ([]*v1alpha1.Application, error) {
	var list v1alpha1.ApplicationList
	if err := a.client.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	out := make([]*v1alpha1.Application, len(list.Items))
	for i := range list.Items {
		out[i] = &list.Items[i]
	}
	return out, nil
}

// Matching are the Applications of a namespace that f wants, by name. They must not be changed.
func (a *Apps) Matching(ctx context.Context, namespace string, f func(*v1alpha1.Application) bool) ([]*v1alpha1.Application, error) {
	var list v1alpha1.ApplicationList
	if err := a.client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	var out []*v1alpha1.Application
	for i := range list.Items {
		if app := &list.Items[i]; f(app) {
			out = append(out, app)
		}
	}
	slices.SortFunc(out, func(x, y *v1alpha1.Application) int { return cmp.Compare(x.Name, y.Name) })
	return out, nil
}

// Set reads an ApplicationSet; it must not be changed.
func (a *Apps) Set(ctx context.Context, namespace, name string) (*v1alpha1.ApplicationSet, error) {
	set := &v1alpha1.ApplicationSet{}
	return set, a.client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, set)
}

// MatchingSets are the ApplicationSets of a namespace that f wants, by name. They must not be changed.
func (a *Apps) MatchingSets(ctx context.Context, namespace string, f func(*v1alpha1.ApplicationSet) bool) ([]*v1alpha1.ApplicationSet, error) {
	var list v1alpha1.ApplicationSetList
	if err := a.client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	var out []*v1alpha1.ApplicationSet
	for i := range list.Items {
		if s := &list.Items[i]; f(s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(x, y *v1alpha1.ApplicationSet) int { return cmp.Compare(x.Name, y.Name) })
	return out, nil
}

// Every is All for who counts: none where the cache does not answer, which it does as
// long as the process runs.
func (a *Apps) Every() []*v1alpha1.Application {
	all, _ := a.All(context.Background())
	return all
}

// Child is the Application that a live object is; nil where it is none of the
// hub's: other clusters may have objects of the kind.
func (a *Apps) Child(live *gitops.Live) *v1alpha1.Application {
	app := &v1alpha1.Application{}
	name := types.NamespacedName{Namespace: live.Key.Namespace, Name: live.Key.Name}
	if err := a.client.Get(context.Background(), name, app); err != nil || app.UID != live.UID {
		return nil
	}
	return app
}

// GeneratedBy are the Applications that go with an ApplicationSet of the hub, and are not
// going anyway. Whoever writes Applications in another namespace may name its UID, and
// nothing there goes with it.
func (a *Apps) GeneratedBy(live *gitops.Live) []*v1alpha1.Application {
	return slices.DeleteFunc(a.Every(), func(app *v1alpha1.Application) bool {
		return app.Namespace != live.Key.Namespace || !app.DeletionTimestamp.IsZero() || !generates(live.UID, metav1.GetControllerOf(app))
	})
}

// generates reports whether an owner is the ApplicationSet of a UID.
func generates(uid types.UID, owner *metav1.OwnerReference) bool {
	return owner != nil && owner.UID == uid && schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind() == v1alpha1.ApplicationSetGVK.GroupKind()
}

// Patch sends a patch and keeps the answer until the cache has caught up.
func (a *Apps) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	app, ok := obj.(*v1alpha1.Application)
	if ok && app.Outlined != "" {
		// The answer would have all that is not kept.
		slim := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name}}
		slim.SetGroupVersionKind(v1alpha1.ApplicationGVK)
		return a.client.Patch(ctx, slim, patch, opts...)
	}
	if err := a.client.Patch(ctx, obj, patch, opts...); err != nil {
		return err
	}
	if ok {
		a.mu.Lock()
		a.written[client.ObjectKeyFromObject(app)] = outline.Application(app)
		a.mu.Unlock()
	}
	return nil
}

func (a *Apps) forget(name types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.written, name)
}

// newer compares resource versions, which the API server documents as
// comparable numbers for objects of one kind.
func newer(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	return errX == nil && errY == nil && x > y
}
