package dependency

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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
	var unmet []string
	for _, app := range apps {
		if why := c.unready(by, app); why != "" {
			unmet = append(unmet, fmt.Sprintf("Application/%s: %s", app.Name, why))
		}
	}
	return unmet
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
	var unmet []string
	for _, set := range sets {
		if set.Outlined != "" {
			unmet = append(unmet, fmt.Sprintf("ApplicationSet/%s: %s", set.Name, set.Outlined))
			continue
		}
		if code, _ := c.health(v1alpha1.ApplicationSetKind, set); code != gitops.Healthy {
			unmet = append(unmet, fmt.Sprintf("ApplicationSet/%s: %s", set.Name, unmetSet(code)))
			continue
		}
		unmet = append(unmet, c.unmetMembers(ctx, by, set)...)
	}
	return unmet
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
