package dependency

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/comparisons"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// selected are the Applications that a ref of an application means, and that
// are within reach. A selector never means the application itself, nor its
// siblings of one set. Looked is how many were looked at.
func (c *Checker) selected(ctx context.Context, app *v1alpha1.Application, within reach, ref depend.Ref) (out []*v1alpha1.Application, looked int, err error) {
	namespace := cmp.Or(ref.Namespace, app.Namespace)
	if ref.Name != "" {
		found, err := c.Apps.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ref.Name})
		if err != nil || !within.app(found) {
			return nil, 1, client.IgnoreNotFound(err)
		}
		return []*v1alpha1.Application{found}, 1, nil
	}
	owner := ownerSet(app)
	out, err = c.Apps.Matching(ctx, namespace, func(other *v1alpha1.Application) bool {
		looked++
		self := other.Namespace == app.Namespace && (other.Name == app.Name || owner != "" && ownerSet(other) == owner)
		return !self && within.app(other) && ref.Matches(other.Name, other.Labels)
	})
	return out, looked, err
}

// selectedSets are the ApplicationSets that a ref names or selects, and that are within reach, and how many were looked at.
func (c *Checker) selectedSets(ctx context.Context, within reach, namespace string, ref depend.Ref) (out []*v1alpha1.ApplicationSet, looked int, err error) {
	out, err = c.Apps.MatchingSets(ctx, namespace, func(s *v1alpha1.ApplicationSet) bool {
		looked++
		return ref.Matches(s.Name, s.Labels) && within.set(s)
	})
	return out, looked, err
}

// unmetOwn looks at Applications and ApplicationSets of the hub.
func (c *Checker) unmetOwn(ctx context.Context, by asking, ref depend.Ref) []string {
	if ref.Kind == v1alpha1.ApplicationSetKind {
		return c.unmetSets(ctx, by, ref)
	}
	apps, _, err := c.selected(ctx, by.App, by.within, ref)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	}
	if len(apps) == 0 {
		return []string{c.noApp(ctx, by, ref)}
	}
	return c.unmetApps(by, apps)
}

// noApp tells of a ref that means no Application, and names the one that may
// have been meant: of the own namespace alone.
func (c *Checker) noApp(ctx context.Context, by asking, ref depend.Ref) string {
	namespace := cmp.Or(ref.Namespace, by.App.Namespace)
	if !by.within.all(namespace) {
		return by.within.none(ref, namespace)
	}
	if ref.Name == "" || namespace != by.App.Namespace || !by.guesses() {
		return absent(ref)
	}
	var known []string
	others, _ := c.Apps.Matching(ctx, namespace, func(*v1alpha1.Application) bool { return true })
	for _, other := range others {
		known = append(known, other.Name)
	}
	return absent(ref) + gitops.DidYouMean(ref.Name, known)
}

func absent(ref depend.Ref) string {
	if ref.Name == "" {
		return ref.String() + ": there is none"
	}
	return ref.String() + ": it does not exist"
}

func (c *Checker) unmetApps(by asking, apps []*v1alpha1.Application) []string {
	var held []string
	for _, app := range apps {
		if why := c.unready(by, app); why != "" {
			held = append(held, fmt.Sprintf("Application/%s: %s", app.Name, why))
		}
	}
	return held
}

// unmetSets wants the set to be up to date, and all of its applications.
func (c *Checker) unmetSets(ctx context.Context, by asking, ref depend.Ref) []string {
	namespace := cmp.Or(ref.Namespace, by.App.Namespace)
	sets, _, err := c.selectedSets(ctx, by.within, namespace, ref)
	switch {
	case err != nil:
		return []string{fmt.Sprintf("%s: %v", ref, err)}
	case len(sets) == 0 && !by.within.all(namespace):
		return []string{by.within.none(ref, namespace)}
	case len(sets) == 0:
		return []string{absent(ref)}
	}
	var held []string
	for _, set := range sets {
		if set.Outlined != "" {
			held = append(held, fmt.Sprintf("ApplicationSet/%s: %s", set.Name, set.Outlined))
			continue
		}
		if code, _ := c.health(v1alpha1.ApplicationSetKind, set); code != gitops.Healthy {
			held = append(held, fmt.Sprintf("ApplicationSet/%s: %s", set.Name, unmetSet(code)))
			continue
		}
		held = append(held, c.unmetMembers(ctx, by, set)...)
	}
	return held
}

// unmetSet tells in whose conditions it stands why a set is not ready: who reads the
// dependant need not be let read the set, nor all Applications that these name.
func unmetSet(code gitops.HealthCode) string {
	if code == gitops.Progressing {
		return "it is not through with its Applications, as its conditions tell"
	}
	return "it has an error, which its conditions tell"
}

// unmetMembers are the applications of a set that are not ready. Generators
// may give some of them another project, of which nothing is told.
func (c *Checker) unmetMembers(ctx context.Context, by asking, set *v1alpha1.ApplicationSet) []string {
	apps, err := c.Apps.Matching(ctx, set.Namespace, func(app *v1alpha1.Application) bool { return ownerSet(app) == set.Name && by.within.app(app) })
	if err != nil {
		return []string{fmt.Sprintf("ApplicationSet/%s: %v", set.Name, err)}
	}
	return c.unmetApps(by, apps)
}

// unready tells why an Application is no ground to build on: it has to be
// healthy, synced, at rest, and to have seen the commit that the dependant has.
func (c *Checker) unready(by asking, app *v1alpha1.Application) string {
	switch {
	case !app.DeletionTimestamp.IsZero():
		return "it is being deleted"
	case app.Outlined != "":
		return app.Outlined
	}
	code, why := c.health(v1alpha1.ApplicationKind, app)
	switch {
	case code != gitops.Healthy:
		return why
	case app.Status.Sync.Status != v1alpha1.SyncStatusCodeSynced:
		return "it is " + string(app.Status.Sync.Status)
	case c.Looks == nil || !by.Compared:
		return ""
	}
	l, ok := c.Looks.Of(client.ObjectKeyFromObject(app), app.UID)
	if !ok || l.Behind(comparisons.At(by.Sources, by.Revisions)) || l.Sync != app.Status.Sync.Status {
		return "it was not compared with the same commit yet"
	}
	return ""
}

// health assesses a typed object as a wave does.
func (c *Checker) health(kind string, o any) (gitops.HealthCode, string) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return gitops.HealthUnknown, err.Error()
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: kind})
	return c.healthOf(gitops.HubServer, u)
}

// healthOf leaves out the words of what progresses: they change all the time.
func (c *Checker) healthOf(server string, o *unstructured.Unstructured) (gitops.HealthCode, string) {
	h, _ := c.Checks.Health(server, o) // the error is in the message
	switch {
	case h.Code == "":
		return gitops.Healthy, ""
	case h.Message == "" || h.Code == gitops.Progressing && !isAppOrSet(gitops.KeyOf(o)):
		return h.Code, string(h.Code)
	}
	return h.Code, fmt.Sprintf("%s (%s)", h.Code, h.Message)
}
