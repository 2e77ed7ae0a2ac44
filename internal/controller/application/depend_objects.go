package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// clusterOf finds the cluster of a ref, by name or by server.
func (r *Reconciler) clusterOf(t *target, ref depend.Ref) (Cluster, error) {
	if ref.Cluster == "" {
		return t.cluster, nil
	}
	found, err := r.Fleet.Resolve(v1alpha1.ApplicationDestination{Name: ref.Cluster})
	if !isNotFound(err) {
		return found, err
	}
	if found, err = r.Fleet.Resolve(v1alpha1.ApplicationDestination{Server: ref.Cluster}); isNotFound(err) {
		// Which others there are is nothing to tell whoever guesses.
		return nil, gitops.Problemf(gitops.NotFound, "no cluster has the name or server %q", ref.Cluster)
	}
	return found, err
}

func (*Reconciler) namespaceOf(t *target, ref depend.Ref) string {
	return cmp.Or(ref.Namespace, t.app.Spec.Destination.Namespace)
}

// placed finds the cluster of a ref, where the project permits its place. Of
// another cluster than the application's own it is not told why it does not:
// that would tell which there are, and their names.
func (r *Reconciler) placed(t *target, ref depend.Ref) (Cluster, error) {
	cluster, err := r.clusterOf(t, ref)
	place := policy.Target{Server: ref.Cluster, Name: ref.Cluster, Namespace: r.namespaceOf(t, ref)}
	if err == nil {
		desc := cluster.Desc()
		place.Server, place.Name = desc.Server, desc.Name
	}
	switch refusal := policy.Destination(t.project, place, t.scoped); {
	case refusal != nil && ref.Cluster == "":
		return nil, unlooked(refusal)
	case refusal != nil:
		return nil, gitops.Problemf(gitops.Forbidden, "the project does not permit to look at it").
			Do(fmt.Sprintf("name what project %q permits to deploy", t.project.Name))
	}
	return cluster, err
}

func unlooked(why error) error {
	return gitops.Problemf(gitops.Forbidden, "the project does not permit to look at it: %w", why)
}

// permitsKind tells why the project does not permit the kind of a ref, which
// is namespaced or not.
func (t *target) permitsKind(ref depend.Ref, namespaced bool) error {
	key := gitops.Key{Group: ref.Group, Kind: ref.Kind, Name: ref.Name}
	if err := policy.Resource(t.project, key, namespaced); err != nil {
		return unlooked(err)
	}
	return nil
}

// unmetObjects looks at objects on clusters. The project has to permit them:
// whether something is there and healthy is nobody else's business.
func (r *Reconciler) unmetObjects(ctx context.Context, t *target, ref depend.Ref) []string {
	server, objects, err := r.found(ctx, t, ref)
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
		code, why := r.healthOf(server, o)
		switch {
		case o.GetDeletionTimestamp() != nil:
			held = append(held, one.String()+": it is being deleted")
		case code != gitops.Healthy:
			held = append(held, one.String()+": "+why)
		}
	}
	return held
}

// found reads the objects of a ref and tells which server has them. Their
// changes are told from now on.
func (r *Reconciler) found(ctx context.Context, t *target, ref depend.Ref) (server string, objects []unstructured.Unstructured, err error) {
	cluster, err := r.placed(t, ref)
	if err != nil {
		return "", nil, err
	}
	objects, err = r.foundOn(ctx, t, cluster, ref)
	return cluster.Desc().Server, objects, err
}

func (r *Reconciler) foundOn(ctx context.Context, t *target, cluster Cluster, ref depend.Ref) ([]unstructured.Unstructured, error) {
	gk, namespace := schema.GroupKind{Group: ref.Group, Kind: ref.Kind}, r.namespaceOf(t, ref)
	permits := func(namespaced bool) error { return t.permitsKind(ref, namespaced) }
	gvk, namespaced, err := cluster.Heed(ctx, t.tracking, gk, namespace, ref.Name, permits)
	if err != nil {
		return nil, err
	}
	if !namespaced {
		namespace = ""
	}
	if ref.Name != "" {
		return one(cluster.Get(ctx, gvk, namespace, ref.Name))
	}
	all, err := cluster.List(ctx, gvk, namespace)
	desc := cluster.Desc()
	return slices.DeleteFunc(all, func(o unstructured.Unstructured) bool {
		place := policy.Target{Server: desc.Server, Name: desc.Name}
		return !ref.Matches(o.GetName(), o.GetLabels()) || policy.Live(t.project, gitops.KeyOf(&o), place, t.scoped) != nil
	}), err
}

// one is an object that was asked for by its name, if it is there.
func one(o *unstructured.Unstructured, err error) ([]unstructured.Unstructured, error) {
	var problem *gitops.Problem
	switch {
	case errors.As(err, &problem) && problem.Kind == gitops.NotFound, apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []unstructured.Unstructured{*o}, nil
}
