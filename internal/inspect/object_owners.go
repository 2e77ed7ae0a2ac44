package inspect

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/serve"
)

// rootsAtOnce is how many objects are read at a time.
const rootsAtOnce = 16

// Bounds of what is read to tell whose an object is: the owners of owners, and all
// of them together. What is owned beyond that is not shown.
const (
	maxOwners  = 6
	mostOwners = 64
)

// roots reads the live objects that the status names, in its order, as far as
// they are the application's own, and says which are another's.
func (i *Inspector) roots(ctx context.Context, a *admission) (*belongings, error) {
	resources := a.resources()
	found, errs := make([]*unstructured.Unstructured, len(resources)), make([]error, len(resources))
	var g crew.Group
	g.SetLimit(rootsAtOnce)
	for j := range resources {
		g.Go(func() error {
			s := &resources[j]
			errs[j] = crew.Safely(func() (err error) {
				found[j], err = a.read(ctx, schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}, s.Namespace, s.Name)
				return err
			})
			return nil
		})
	}
	_ = g.Wait() // each has its own error
	missed := errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil || gitops.IsProblem(err, gitops.NotFound) })...)
	sorted, err := i.sort(ctx, a, slices.DeleteFunc(found, func(o *unstructured.Unstructured) bool { return o == nil }))
	return sorted, errors.Join(missed, err)
}

// belongings are live objects by whose they are.
type belongings struct {
	own []*unstructured.Unstructured
	// others are those that the sources have, and that another application has by
	// its tracking id: they are its, until a sync takes them over.
	others []*unstructured.Unstructured
}

// sort tells which of live objects are the application's: they bear its tracking
// id, or its sources have them and they bear no other one's. Sources are asked
// only where some do not bear its id: definitions never do, and others not before
// they are synced.
func (i *Inspector) sort(ctx context.Context, a *admission, all []*unstructured.Unstructured) (*belongings, error) {
	if !slices.ContainsFunc(all, func(o *unstructured.Unstructured) bool { return !a.tracks(o) }) {
		return &belongings{own: all}, nil
	}
	wanted := map[gitops.Key]bool{}
	set, err := i.desired(ctx, a)
	if err != nil {
		err = gitops.Problemf(gitops.NotReady, "not shown: objects without the tracking id of application %s are its own only where its sources have them, which is not known: %w", a.App.Name, err).
			Do("try again when it can be rendered")
	}
	if set != nil {
		for _, key := range set.Keys() {
			wanted[key] = true
		}
	}
	return a.sorted(all, wanted), err
}

// sorted is sort where it is known which objects the sources have. Whoever may
// choose what a source lists is not to see by it what others have.
func (a *admission) sorted(all []*unstructured.Unstructured, wanted map[gitops.Key]bool) *belongings {
	out := &belongings{}
	for _, o := range all {
		switch {
		case a.tracks(o):
			out.own = append(out.own, o)
		case !wanted[gitops.KeyOf(o)]:
		case a.holder(o) != "":
			out.others = append(out.others, o)
		default:
			out.own = append(out.own, o)
		}
	}
	return out
}

// tracks reports whether an object bears the Application's tracking id.
func (a *admission) tracks(o *unstructured.Unstructured) bool { return a.trackedBy(o) == a.Tracking }

// holder is another application whose tracking id an object bears; empty for none.
func (a *admission) holder(o *unstructured.Unstructured) string {
	if app := a.trackedBy(o); app != a.Tracking {
		return app
	}
	return ""
}

// trackedBy is the application in the tracking id of a live object; empty for none,
// and for what another installation has marked.
func (a *admission) trackedBy(o *unstructured.Unstructured) string {
	installation, _, _ := unstructured.NestedString(o.Object, "metadata", "annotations", gitops.AnnotationInstallation)
	if a.marking.Elsewhere(installation) {
		return ""
	}
	id, _, _ := unstructured.NestedString(o.Object, "metadata", "annotations", gitops.AnnotationTracking)
	app, _ := gitops.TrackedBy(id, gitops.KeyOf(o))
	return app
}

// Object reads a live object that an application has: one of its own, or one
// that such a one owns. Nil when it is not there, or another's; one that its
// sources have, and that is another application's, is a serve.Held.
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
		err = gitops.Problemf(gitops.NotFound, "application %s has no %s %s in cluster %s", a.App.Name, k.Kind, k.Name, a.Place().Name)
	}
	return o, err
}

func (i *Inspector) object(ctx context.Context, a *admission, gvk schema.GroupVersionKind, k gitops.Key) (*unstructured.Unstructured, error) {
	o, err := a.read(ctx, gvk, k.Namespace, k.Name)
	if err != nil && gitops.IsProblem(err, gitops.NotFound) {
		return nil, nil //nolint:nilnil // absence is a value here
	}
	if err != nil {
		return nil, err
	}
	found, err := i.sort(ctx, a, a.line(ctx, o))
	switch {
	case err != nil:
		return nil, err
	case len(found.own) > 0:
		return o, nil
	case len(found.others) > 0:
		return nil, serve.HeldBy(k, a.holder(found.others[0]))
	}
	return nil, nil //nolint:nilnil // it is none of its own
}

// line is an object, its owners and theirs, up to the first that bears the
// tracking id of an application: what is above another one's makes it nobody
// else's. The owner that lives counts, not what an object
// says of it; one that the project does not permit is not looked at.
func (a *admission) line(ctx context.Context, o *unstructured.Unstructured) []*unstructured.Unstructured {
	l := lineage{ends: func(o *unstructured.Unstructured) bool { return a.trackedBy(o) != "" }, asked: map[metav1.OwnerReference]bool{}, read: func(namespace string, ref metav1.OwnerReference) (*unstructured.Unstructured, error) {
		return a.read(ctx, schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind), namespace, ref.Name)
	}}
	return l.of(o)
}

// lineage reads owners, each once, however many name it.
type lineage struct {
	ends  func(*unstructured.Unstructured) bool
	read  func(namespace string, ref metav1.OwnerReference) (*unstructured.Unstructured, error)
	asked map[metav1.OwnerReference]bool
}

func (l *lineage) of(o *unstructured.Unstructured) []*unstructured.Unstructured {
	out, generation := []*unstructured.Unstructured{o}, []*unstructured.Unstructured{o}
	for range maxOwners {
		var next []*unstructured.Unstructured
		for _, child := range generation {
			if !l.ends(child) {
				next = append(next, l.owners(child)...)
			}
		}
		out, generation = append(out, next...), next
	}
	return out
}

// owners reads the owners of an object that were not asked for yet.
func (l *lineage) owners(o *unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, ref := range o.GetOwnerReferences() {
		ref = metav1.OwnerReference{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name, UID: ref.UID}
		if l.asked[ref] || len(l.asked) == mostOwners {
			continue
		}
		l.asked[ref] = true
		owner, err := l.read(o.GetNamespace(), ref)
		if err != nil || owner.GetUID() != ref.UID {
			continue // not permitted, gone, or another one of the same name
		}
		out = append(out, owner)
	}
	return out
}
