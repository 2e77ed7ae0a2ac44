package application

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
func (r *Reconciler) circle(ctx context.Context, app *v1alpha1.Application) string {
	from := depend.Node{Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name}
	return depend.Draw(depend.Circle(from, func(n depend.Node) (to []depend.Node, steps int) {
		to = r.nextTo(ctx, n, &steps)
		return to, steps
	}))
}

// About how many steps of a search some things are.
const (
	stepsPerByte = 16  // of an annotation that is read
	stepsToJudge = 100 // whether a project permits an object
)

// nextTo is what a node depends on. Steps takes up how much work it was to find that.
func (r *Reconciler) nextTo(ctx context.Context, n depend.Node, steps *int) []depend.Node {
	if n.Kind == v1alpha1.ApplicationSetKind {
		apps, _ := r.Apps.matching(ctx, n.Namespace, func(app *v1alpha1.Application) bool {
			*steps++
			return ownerSet(app) == n.Name
		})
		return nodes(apps)
	}
	app, err := r.Apps.Get(ctx, types.NamespacedName{Namespace: n.Namespace, Name: n.Name})
	if err != nil {
		return nil // it is not there: nothing leads on from it
	}
	within := r.reachOf(app)
	refs, read, _ := r.dependencies(ctx, app) // what cannot be read is told by the application itself
	*steps += read * stepsPerByte
	var out []depend.Node
	for _, ref := range refs {
		if !ref.Own() {
			continue
		}
		if ref.Kind == v1alpha1.ApplicationSetKind {
			sets, looked, _ := r.Apps.sets(ctx, within, cmp.Or(ref.Namespace, app.Namespace), ref)
			*steps += looked * ref.Steps()
			for _, s := range sets {
				out = append(out, depend.Node{Kind: ref.Kind, Namespace: s.Namespace, Name: s.Name})
			}
			continue
		}
		apps, looked, _ := r.selected(ctx, app, within, ref)
		*steps += looked * ref.Steps()
		out = append(out, nodes(apps)...)
	}
	*steps += len(app.Status.Resources)
	children := r.childrenOf(ctx, app, steps)
	return append(out, children...)
}

// childrenOf are the Applications that the status of another one lists, and
// that its project permits: a status is written by whoever writes the
// Application, who could put another team's into a circle.
func (r *Reconciler) childrenOf(ctx context.Context, app *v1alpha1.Application, steps *int) []depend.Node {
	cluster, err := r.Fleet.Resolve(app.Spec.Destination)
	if err != nil || !gitops.IsHub(cluster.Desc().Server) {
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
			if rules = r.comparer().RulesOf(ctx, app, cluster); rules == nil {
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
