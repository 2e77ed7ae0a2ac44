package dependency

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// Timeout is the shortest one of several dependencies; zero when none has one.
func Timeout(refs []depend.Ref) time.Duration {
	var shortest time.Duration
	for _, ref := range refs {
		if ref.Timeout > 0 && (shortest == 0 || ref.Timeout < shortest) {
			shortest = ref.Timeout
		}
	}
	return shortest
}

// dependencies are what the application says, and what the set that made it
// says for all of its applications, and how many bytes were read for that.
func (c *Checker) dependencies(ctx context.Context, app *v1alpha1.Application) (refs []depend.Ref, read int, err error) {
	text := app.Annotations[gitops.AnnotationDependsOn]
	refs, err = depend.Parse(text)
	if err != nil {
		return nil, len(text), err
	}
	owner := ownerSet(app)
	if owner == "" || app.Namespace != c.Namespace { // what says elsewhere that a set owns it is none of the set's
		return refs, len(text), nil
	}
	set, err := c.Apps.Set(ctx, app.Namespace, owner)
	if err != nil {
		return refs, len(text), client.IgnoreNotFound(err)
	}
	its := set.Annotations[gitops.AnnotationDependsOn]
	more, err := depend.Parse(its)
	return append(refs, more...), len(text) + len(its), err
}

// ownerSet is the ApplicationSet that made an application, if any.
func ownerSet(app *v1alpha1.Application) string {
	for _, ref := range app.OwnerReferences {
		if ref.Kind == v1alpha1.ApplicationSetKind && ref.Controller != nil && *ref.Controller {
			return ref.Name
		}
	}
	return ""
}

// unsettled tells which dependencies are not there or not healthy, and nothing
// when none is waited for. Dependencies that can never be met are an error.
func (c *Checker) unsettled(ctx context.Context, by asking, refs []depend.Ref) (string, error) {
	if err := c.watchFor(ctx, by, refs); err != nil {
		return "", err
	}
	unmet := c.unmet(ctx, by, refs)
	if len(unmet) == 0 {
		return "", nil
	}
	return "waiting for " + fewOf(unmet).String(), nil
}

// Forget forgets what an Application waited for.
func (c *Checker) Forget(by *Asker) {
	c.Register.Set(client.ObjectKeyFromObject(by.App), nil)
	c.Places.Unheed(by.Tracking)
}

// watchFor watches what dependencies are about, before they are looked at, and
// nothing else that the application depended on: each look says all of it.
func (c *Checker) watchFor(ctx context.Context, by asking, refs []depend.Ref) error {
	c.Places.Unheed(by.Tracking)
	c.Register.Set(client.ObjectKeyFromObject(by.App), c.watched(by, refs))
	if circle := c.circle(ctx, by.App); circle != "" {
		return gitops.Problemf(gitops.Invalid, "cannot begin: dependencies go in a circle: %s", circle).
			Do("take one of them out of the annotation " + gitops.AnnotationDependsOn)
	}
	return nil
}

// unmet are the dependencies that are not there or not healthy, each in a few words.
func (c *Checker) unmet(ctx context.Context, by asking, refs []depend.Ref) []string {
	var unmet []string
	for _, ref := range refs {
		unmet = append(unmet, c.unmetBy(ctx, by, ref)...)
	}
	return unmet
}

// unmetBy is unmet for one dependency. Nobody is asked any more when the look is over:
// what is not known to be ready is not.
func (c *Checker) unmetBy(ctx context.Context, by asking, ref depend.Ref) []string {
	switch err := ctx.Err(); {
	case err != nil:
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	case ref.Own():
		return c.unmetOwn(ctx, by, ref)
	}
	return c.unmetObjects(ctx, by.Asker, ref)
}

// watched are the objects whose changes wake the application. What it may not
// look at wakes nobody.
func (c *Checker) watched(by asking, refs []depend.Ref) []Object {
	var dependencies []Object
	for _, ref := range refs {
		if ref.Own() {
			dependencies = append(dependencies, by.within.watched(ref, by.App.Namespace)...)
			continue
		}
		dependencies = append(dependencies, c.watchedObjects(by.Asker, ref)...)
	}
	return dependencies
}

// watched are the Applications and sets that a ref means. Of a namespace that
// is not within reach as a whole, those of the project wake alone.
func (w reach) watched(ref depend.Ref, own string) []Object {
	named := Object{Server: gitops.HubServer, Key: gitops.Key{Group: ref.Group, Kind: ref.Kind, Namespace: cmp.Or(ref.Namespace, own), Name: ref.Name}}
	if !w.all(named.Key.Namespace) {
		named.Project = w.project
	}
	if ref.Kind != v1alpha1.ApplicationSetKind {
		return []Object{named}
	}
	its := named // its applications count, too
	its.Key.Kind, its.Key.Name = v1alpha1.ApplicationKind, ""
	return []Object{named, its}
}

// watchedObjects are those on a cluster. While nobody knows whether the kind
// is namespaced, it may be either.
func (c *Checker) watchedObjects(by *Asker, ref depend.Ref) []Object {
	cluster, err := c.placed(by, ref)
	if err != nil {
		return nil
	}
	var dependencies []Object
	namespaced, known := cluster.Scope()(ref.Group, ref.Kind)
	for _, either := range []bool{true, false} {
		if known && namespaced != either || by.permitsKind(ref, either) != nil {
			continue
		}
		key := gitops.Key{Group: ref.Group, Kind: ref.Kind, Name: ref.Name}
		if either {
			key.Namespace = namespaceOf(by, ref)
		}
		dependencies = append(dependencies, Object{Server: cluster.Desc().Server, Key: key})
	}
	return dependencies
}
