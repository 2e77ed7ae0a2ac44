package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/look"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// set reads an ApplicationSet; it must not be changed.
func (a *Apps) set(ctx context.Context, namespace, name string) (*v1alpha1.ApplicationSet, error) {
	set := &v1alpha1.ApplicationSet{}
	return set, a.client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, set)
}

// sets are those that a ref names or selects.
func (a *Apps) sets(ctx context.Context, namespace string, ref depend.Ref) ([]*v1alpha1.ApplicationSet, error) {
	var list v1alpha1.ApplicationSetList
	if err := a.client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	var out []*v1alpha1.ApplicationSet
	for i := range list.Items {
		if s := &list.Items[i]; ref.Matches(s.Name, s.Labels) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(x, y *v1alpha1.ApplicationSet) int { return cmp.Compare(x.Name, y.Name) })
	return out, nil
}

// matching are the Applications of a namespace that f wants, by name.
func (a *Apps) matching(ctx context.Context, namespace string, f func(*v1alpha1.Application) bool) ([]*v1alpha1.Application, error) {
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

// selected are the Applications that a ref of an application means. A
// selector never means the application itself, nor its siblings of one set.
func (r *Reconciler) selected(ctx context.Context, app *v1alpha1.Application, ref depend.Ref) ([]*v1alpha1.Application, error) {
	namespace := cmp.Or(ref.Namespace, app.Namespace)
	if ref.Name != "" {
		found, err := r.Apps.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ref.Name})
		if err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return []*v1alpha1.Application{found}, nil
	}
	owner := ownerSet(app)
	return r.Apps.matching(ctx, namespace, func(other *v1alpha1.Application) bool {
		self := other.Namespace == app.Namespace && (other.Name == app.Name || owner != "" && ownerSet(other) == owner)
		return !self && ref.Matches(other.Name, other.Labels)
	})
}

// unmetOwn looks at Applications and ApplicationSets of the hub.
func (r *Reconciler) unmetOwn(ctx context.Context, t *target, c *comparison, ref depend.Ref) []string {
	if ref.Kind == v1alpha1.ApplicationSetKind {
		return r.unmetSets(ctx, t, c, ref)
	}
	apps, err := r.selected(ctx, t.app, ref)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	}
	if len(apps) == 0 {
		return []string{absent(ref) + r.nearest(ctx, t, ref)}
	}
	return r.unmetApps(t, c, apps)
}

// nearest names the Application that may have been meant.
func (r *Reconciler) nearest(ctx context.Context, t *target, ref depend.Ref) string {
	var known []string
	others, _ := r.Apps.matching(ctx, cmp.Or(ref.Namespace, t.app.Namespace), func(*v1alpha1.Application) bool { return true })
	for _, other := range others {
		known = append(known, other.Name)
	}
	if ref.Name == "" {
		return ""
	}
	return gitops.DidYouMean(ref.Name, known)
}

func absent(ref depend.Ref) string {
	if ref.Name == "" {
		return ref.String() + ": there is none"
	}
	return ref.String() + ": it does not exist"
}

func (r *Reconciler) unmetApps(t *target, c *comparison, apps []*v1alpha1.Application) []string {
	var held []string
	for _, app := range apps {
		if why := r.unready(t, c, app); why != "" {
			held = append(held, fmt.Sprintf("Application/%s: %s", app.Name, why))
		}
	}
	return held
}

// unmetSets wants the set to be up to date, and all of its applications.
func (r *Reconciler) unmetSets(ctx context.Context, t *target, c *comparison, ref depend.Ref) []string {
	namespace := cmp.Or(ref.Namespace, t.app.Namespace)
	sets, err := r.Apps.sets(ctx, namespace, ref)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	}
	if len(sets) == 0 {
		return []string{absent(ref)}
	}
	var held []string
	for _, set := range sets {
		if code, why := r.health(v1alpha1.ApplicationSetKind, set); code != gitops.Healthy {
			held = append(held, fmt.Sprintf("ApplicationSet/%s: %s", set.Name, why))
			continue
		}
		apps, err := r.Apps.matching(ctx, namespace, func(app *v1alpha1.Application) bool { return ownerSet(app) == set.Name })
		if err != nil {
			held = append(held, fmt.Sprintf("ApplicationSet/%s: %v", set.Name, err))
		}
		held = append(held, r.unmetApps(t, c, apps)...)
	}
	return held
}

// unready tells why an Application is no ground to build on: it has to be
// healthy, synced, at rest, and to have seen the commit that the dependant has.
func (r *Reconciler) unready(t *target, c *comparison, app *v1alpha1.Application) string {
	if !app.DeletionTimestamp.IsZero() {
		return "it is being deleted"
	}
	code, why := r.health(v1alpha1.ApplicationKind, app)
	switch {
	case code != gitops.Healthy:
		return why
	case app.Status.Sync.Status != v1alpha1.SyncStatusCodeSynced:
		return "it is " + string(app.Status.Sync.Status)
	case r.Looks == nil || c == nil:
		return ""
	}
	l, ok := r.Looks.Of(client.ObjectKeyFromObject(app), app.UID)
	if !ok || l.Behind(look.At(t.sources, c.revisions)) || l.Sync != app.Status.Sync.Status {
		return "it was not compared with the same commit yet"
	}
	return ""
}

// health assesses a typed object as a wave does.
func (r *Reconciler) health(kind string, o any) (gitops.HealthCode, string) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return gitops.HealthUnknown, err.Error()
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: kind})
	return r.healthOf(u)
}

// healthOf leaves out the words of what progresses: they change all the time.
func (r *Reconciler) healthOf(o *unstructured.Unstructured) (gitops.HealthCode, string) {
	h, _ := r.Checks.Health(o) // the error is in the message
	switch {
	case h.Code == "":
		return gitops.Healthy, ""
	case h.Message == "" || h.Code == gitops.Progressing && !isAppOrSet(gitops.KeyOf(o)):
		return h.Code, string(h.Code)
	}
	return h.Code, fmt.Sprintf("%s (%s)", h.Code, h.Message)
}

// clusterOf finds the cluster of a ref, by name or by server.
func (r *Reconciler) clusterOf(t *target, ref depend.Ref) (Cluster, error) {
	if ref.Cluster == "" {
		return t.cluster, nil
	}
	found, err := r.Fleet.Resolve(v1alpha1.ApplicationDestination{Name: ref.Cluster})
	if isNotFound(err) {
		if byServer, err := r.Fleet.Resolve(v1alpha1.ApplicationDestination{Server: ref.Cluster}); err == nil {
			return byServer, nil
		}
	}
	return found, err
}

func (*Reconciler) namespaceOf(t *target, ref depend.Ref) string {
	return cmp.Or(ref.Namespace, t.app.Spec.Destination.Namespace)
}

// unmetObjects looks at objects on clusters. The project has to permit the
// place: whether something is healthy is nobody else's business.
func (r *Reconciler) unmetObjects(ctx context.Context, t *target, ref depend.Ref) []string {
	cluster, err := r.clusterOf(t, ref)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	}
	desc, namespace := cluster.Desc(), r.namespaceOf(t, ref)
	place := policy.Target{Server: desc.Server, Name: desc.Name, Namespace: namespace}
	if err := policy.Destination(t.project, place, t.scoped); err != nil {
		return []string{fmt.Sprintf("%s, which the project does not permit to look at: %v", ref, err)}
	}
	gk := schema.GroupKind{Group: ref.Group, Kind: ref.Kind}
	gvk, namespaced, err := cluster.Heed(ctx, t.tracking, gk, namespace, ref.Name)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	}
	if !namespaced {
		namespace = ""
	}
	objects, err := found(ctx, cluster, gvk, namespace, ref)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	}
	if len(objects) == 0 {
		return []string{absent(ref)}
	}
	var held []string
	for i := range objects {
		o := &objects[i]
		one := ref
		one.Name, one.Selector, one.Namespace = o.GetName(), "", o.GetNamespace()
		code, why := r.healthOf(o)
		switch {
		case o.GetDeletionTimestamp() != nil:
			held = append(held, one.String()+": it is being deleted")
		case code != gitops.Healthy:
			held = append(held, one.String()+": "+why)
		}
	}
	return held
}

// found reads the objects of a ref.
func found(ctx context.Context, c Cluster, gvk schema.GroupVersionKind, namespace string, ref depend.Ref) ([]unstructured.Unstructured, error) {
	if ref.Name != "" {
		o, err := c.Get(ctx, gvk, namespace, ref.Name)
		var problem *gitops.Problem
		switch {
		case errors.As(err, &problem) && problem.Kind == gitops.NotFound, apierrors.IsNotFound(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return []unstructured.Unstructured{*o}, nil
	}
	all, err := c.List(ctx, gvk, namespace)
	return slices.DeleteFunc(all, func(o unstructured.Unstructured) bool { return !ref.Matches(o.GetName(), o.GetLabels()) }), err
}

// circle draws the way from an application back to itself, if there is one.
// Besides what is written, a parent waits for its children, and a set is as
// far as its applications are.
func (r *Reconciler) circle(ctx context.Context, app *v1alpha1.Application) string {
	from := depend.Node{Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name}
	return depend.Draw(depend.Circle(from, func(n depend.Node) []depend.Node { return r.nextTo(ctx, n) }))
}

func (r *Reconciler) nextTo(ctx context.Context, n depend.Node) []depend.Node {
	if n.Kind == v1alpha1.ApplicationSetKind {
		apps, _ := r.Apps.matching(ctx, n.Namespace, func(app *v1alpha1.Application) bool { return ownerSet(app) == n.Name })
		return nodes(apps)
	}
	app, err := r.Apps.Get(ctx, types.NamespacedName{Namespace: n.Namespace, Name: n.Name})
	if err != nil {
		return nil // it is not there: nothing leads on from it
	}
	refs, _ := r.dependencies(ctx, app) // what cannot be read is told by the application itself
	var out []depend.Node
	for _, ref := range refs {
		if !ref.Own() {
			continue
		}
		if ref.Kind == v1alpha1.ApplicationSetKind {
			sets, _ := r.Apps.sets(ctx, cmp.Or(ref.Namespace, app.Namespace), ref)
			for _, s := range sets {
				out = append(out, depend.Node{Kind: ref.Kind, Namespace: s.Namespace, Name: s.Name})
			}
			continue
		}
		apps, _ := r.selected(ctx, app, ref)
		out = append(out, nodes(apps)...)
	}
	for _, s := range app.Status.Resources {
		if s.Group == v1alpha1.Group && s.Kind == v1alpha1.ApplicationKind && onHub(app.Spec.Destination) {
			out = append(out, depend.Node{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name})
		}
	}
	return out
}

func onHub(d v1alpha1.ApplicationDestination) bool {
	return d.Name == gitops.HubName || gitops.IsHub(d.Server)
}

func nodes(apps []*v1alpha1.Application) []depend.Node {
	out := make([]depend.Node, 0, len(apps))
	for _, app := range apps {
		out = append(out, depend.Node{Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name})
	}
	return out
}
