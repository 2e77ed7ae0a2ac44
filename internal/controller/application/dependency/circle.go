package dependency

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// circle draws the way from an application back to itself, if there is one.
// Besides what is written, a parent waits for its children, and a set is as
// far as its applications are.
func (c *Checker) circle(ctx context.Context, app *v1alpha1.Application) string {
	from := depend.Node{Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name}
	return depend.Draw(depend.Circle(from, func(n depend.Node) (to []depend.Node, steps int) {
		to = c.nextTo(ctx, n, &steps)
		return to, steps
	}))
}

// About how many steps of a search some things are.
const (
	stepsPerByte = 16  // of an annotation that is read
	stepsToJudge = 100 // whether a project permits an object
)

// nextTo is what a node depends on. Steps takes up how much work it was to find that.
func (c *Checker) nextTo(ctx context.Context, n depend.Node, steps *int) []depend.Node {
	if n.Kind == v1alpha1.ApplicationSetKind {
		apps, _ := c.Apps.Matching(ctx, n.Namespace, func(app *v1alpha1.Application) bool {
			*steps++
			return ownerSet(app) == n.Name
		})
		return nodes(apps)
	}
	app, err := c.Apps.Get(ctx, types.NamespacedName{Namespace: n.Namespace, Name: n.Name})
	if err != nil {
		return nil // it is not there: nothing leads on from it
	}
	within := c.reachOf(app)
	refs, read, _ := c.dependencies(ctx, app) // what cannot be read is told by the application itself
	*steps += read * stepsPerByte
	var out []depend.Node
	for _, ref := range refs {
		if !ref.Own() {
			continue
		}
		if ref.Kind == v1alpha1.ApplicationSetKind {
			sets, looked, _ := c.selectedSets(ctx, within, cmp.Or(ref.Namespace, app.Namespace), ref)
			*steps += looked * ref.Steps()
			for _, s := range sets {
				out = append(out, depend.Node{Kind: ref.Kind, Namespace: s.Namespace, Name: s.Name})
			}
			continue
		}
		apps, looked, _ := c.selected(ctx, app, within, ref)
		*steps += looked * ref.Steps()
		out = append(out, nodes(apps)...)
	}
	*steps += len(app.Status.Resources)
	children := c.childrenOf(ctx, app, steps)
	return append(out, children...)
}

// childrenOf are the Applications that the status of another one lists, and
// that its project permits: a status is written by whoever writes the
// Application, who could put another team's into a circle.
func (c *Checker) childrenOf(ctx context.Context, app *v1alpha1.Application, steps *int) []depend.Node {
	if !c.Places.OnHub(app) {
		return nil
	}
	var rules *policy.Question
	var out []depend.Node
	for i := range app.Status.Resources {
		s := &app.Status.Resources[i]
		if s.Group != v1alpha1.Group || s.Kind != v1alpha1.ApplicationKind {
			continue
		}
		if rules == nil {
			if rules = c.Places.RulesOf(ctx, app); rules == nil {
				return nil
			}
		}
		*steps += stepsToJudge
		k := gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}
		if policy.Live(rules.Project, k, rules.Target, rules.Clusters) == nil {
			out = append(out, depend.Node{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name})
		}
	}
	return out
}

func nodes(apps []*v1alpha1.Application) []depend.Node {
	out := make([]depend.Node, 0, len(apps))
	for _, app := range apps {
		out = append(out, depend.Node{Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name})
	}
	return out
}
