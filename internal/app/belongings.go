package app

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// rootsAtOnce is how many objects are read at a time.
const rootsAtOnce = 16

// maxOwners bounds the owners of owners.
const maxOwners = 6

// roots reads the live objects that the status names, in its order, as far as
// they are the application's own.
func (i *Inspector) roots(ctx context.Context, a *admission) ([]*unstructured.Unstructured, error) {
	resources := a.resources()
	found, errs := make([]*unstructured.Unstructured, len(resources)), make([]error, len(resources))
	var g errgroup.Group
	g.SetLimit(rootsAtOnce)
	for j := range resources {
		g.Go(func() error {
			s := &resources[j]
			found[j], errs[j] = a.read(ctx, schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}, s.Namespace, s.Name)
			return nil
		})
	}
	_ = g.Wait() // each has its own error
	missed := errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil || isMissing(err) })...)
	own, err := i.own(ctx, a, slices.DeleteFunc(found, func(o *unstructured.Unstructured) bool { return o == nil }))
	return own, errors.Join(missed, err)
}

func isMissing(err error) bool {
	var p *gitops.Problem
	return errors.As(err, &p) && p.Kind == gitops.NotFound
}

// own keeps of live objects those that are the application's: they bear its
// tracking id, or its sources have them. Sources are asked only where some bear
// no id: definitions never do, and others not before they are synced.
func (i *Inspector) own(ctx context.Context, a *admission, all []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if !slices.ContainsFunc(all, func(o *unstructured.Unstructured) bool { return !a.tracks(o) }) {
		return all, nil
	}
	wanted := map[gitops.Key]bool{}
	set, err := i.desired(ctx, a)
	if err != nil {
		err = gitops.Problemf(gitops.NotReady, "not shown: objects without the tracking id of application %s are its own only where its sources have them, which is not known: %w", a.app.Name, err).
			Do("try again when it can be rendered")
	}
	if set != nil {
		for _, key := range set.Keys() {
			wanted[key] = true
		}
	}
	return slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool { return !a.tracks(o) && !wanted[gitops.KeyOf(o)] }), err
}

// tracks reports whether an object bears the Application's tracking id.
func (a *admission) tracks(o *unstructured.Unstructured) bool {
	id, _, _ := unstructured.NestedString(o.Object, "metadata", "annotations", gitops.AnnotationTracking)
	app, ok := gitops.TrackedBy(id, gitops.KeyOf(o))
	return ok && app == a.tracking
}

// Object reads a live object that an application has: one of its own, or one
// that such a one owns. Nil when it is not there, or another's.
func (i *Inspector) Object(ctx context.Context, app *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) (*unstructured.Unstructured, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	return i.object(ctx, a, gvk, k)
}

// belonging is object for what is to be there.
func (i *Inspector) belonging(ctx context.Context, a *admission, gvk schema.GroupVersionKind, k gitops.Key) (*unstructured.Unstructured, error) {
	o, err := i.object(ctx, a, gvk, k)
	if err == nil && o == nil {
		err = gitops.Problemf(gitops.NotFound, "application %s has no %s %s in cluster %s", a.app.Name, k.Kind, k.Name, a.target.Name)
	}
	return o, err
}

func (i *Inspector) object(ctx context.Context, a *admission, gvk schema.GroupVersionKind, k gitops.Key) (*unstructured.Unstructured, error) {
	o, err := a.read(ctx, gvk, k.Namespace, k.Name)
	if err != nil && isMissing(err) {
		return nil, nil //nolint:nilnil // absence is a value here
	}
	if err != nil {
		return nil, err
	}
	own, err := i.own(ctx, a, a.line(ctx, o, maxOwners))
	if err != nil || len(own) == 0 {
		return nil, err
	}
	return o, nil
}

// line is an object, its owners and theirs, up to the first that bears the
// Application's tracking id. The owner that lives counts, not what an object
// says of it; one that the project does not permit is not looked at.
func (a *admission) line(ctx context.Context, o *unstructured.Unstructured, generations int) []*unstructured.Unstructured {
	out := []*unstructured.Unstructured{o}
	if a.tracks(o) || generations == 0 {
		return out
	}
	for _, ref := range o.GetOwnerReferences() {
		gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
		owner, err := a.read(ctx, gvk, o.GetNamespace(), ref.Name)
		if err != nil || owner.GetUID() != ref.UID {
			continue // not permitted, gone, or another one of the same name
		}
		out = append(out, a.line(ctx, owner, generations-1)...)
	}
	return out
}
