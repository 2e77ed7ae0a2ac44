package massdeletion

import (
	"context"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/controller/outline"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// What deletions count that take more with them than themselves. What is in a
// Namespace, and the objects of a definition, are counted one by one.
const (
	weightOfVolume = 3
	weightOfApp    = 2
)

// leaving are the actions of a plan after which the object that is there is gone,
// with its UID: what it owns goes with it, also where it is made anew or, as what
// an earlier hook left, counts for nothing itself.
func leaving(p *gitops.Plan) []*gitops.Action {
	var out []*gitops.Action
	for a := range p.All() {
		if a.Live != nil && !a.Live.Deleting && (a.Verb == gitops.Prune || a.Disowned || a.Goes) {
			out = append(out, a)
		}
	}
	return out
}

func leavingKeys(p *gitops.Plan) map[gitops.Key]bool {
	out := map[gitops.Key]bool{}
	for _, a := range leaving(p) {
		out[a.Key] = true
	}
	return out
}

// doomed are the actions of a plan that delete something: what is no longer
// desired, what is made anew, what becomes a hook, and what loses its owners. What an
// earlier hook left is among them where more may go with it than itself.
func doomed(p *gitops.Plan) []*gitops.Action {
	return slices.DeleteFunc(leaving(p), func(a *gitops.Action) bool {
		return a.Verb != gitops.Prune && !a.Disowned && a.Remains && !takesAlong(a.Key)
	})
}

// deletionsOf lists what a plan would delete, and how much the application
// has by the same weights. What may only move is in it, see movesOf. What the
// sync made that an automatic rollback undoes is not.
func (r *Keeper) deletionsOf(ctx context.Context, t *state.Target, p *gitops.Plan) (list guard.List, of int) {
	all := doomed(p)
	if len(all) == 0 {
		return nil, 0
	}
	going, leaves := map[gitops.Key]bool{}, leavingKeys(p)
	for _, a := range all {
		going[a.Key] = true
	}
	for a := range p.All() {
		if a.Live != nil && !a.Hook && !a.Namespace && !going[a.Key] {
			of += plainWeight(a.Key)
		}
	}
	for _, a := range all {
		d := r.deletion(ctx, t, a, going)
		if a.Remains && d.Weight == plainWeight(a.Key) && d.With == "" {
			continue // it goes alone, as hooks do
		}
		of += d.Weight
		if !undone(t.App, a) {
			r.needed(ctx, t.Cluster, a, leaves, &d)
			list = append(list, d)
		}
	}
	return list, of
}

// undone reports whether an automatic rollback deletes what the sync made that it
// undoes. What is older that sync has only adopted, and it counts.
func undone(app *v1alpha1.Application, a *gitops.Action) bool {
	if !opstate.Restoring(app) {
		return false
	}
	began, err := time.Parse(time.RFC3339, opstate.Info(app.Status.OperationState.Operation.Info, gitops.InfoUndoes))
	return err == nil && !opstate.Older(a.Live, began)
}

// takesAlong tells of kinds whose objects take others with them.
func takesAlong(k gitops.Key) bool {
	switch k.Group {
	case "":
		return k.Kind == "Namespace"
	case "apiextensions.k8s.io":
		return k.Kind == "CustomResourceDefinition"
	case v1alpha1.Group:
		return k.Kind == v1alpha1.ApplicationKind || k.Kind == v1alpha1.ApplicationSetKind
	}
	return false
}

func plainWeight(k gitops.Key) int {
	switch {
	case k.Group == v1alpha1.Group && (k.Kind == v1alpha1.ApplicationKind || k.Kind == v1alpha1.ApplicationSetKind):
		return weightOfApp
	case k.Group == "" && (k.Kind == "PersistentVolumeClaim" || k.Kind == "PersistentVolume"):
		return weightOfVolume
	}
	return 1
}

// deletion weighs what goes with one object, as far as it is known: of a
// definition alone the cluster is asked.
func (r *Keeper) deletion(ctx context.Context, t *state.Target, a *gitops.Action, going map[gitops.Key]bool) guard.Deletion {
	d := r.weighed(ctx, t.Cluster, a, going)
	if a.Disowned {
		d.With = strings.TrimPrefix(d.With+", as its owners are not there or go", ", ")
	}
	return d
}

func (r *Keeper) weighed(ctx context.Context, there state.Population, a *gitops.Action, going map[gitops.Key]bool) guard.Deletion {
	k := a.Key
	d := guard.Deletion{Name: k.String(), Weight: plainWeight(k)}
	switch {
	case k.Group == "" && k.Kind == "Namespace":
		inside := there.Inside(k.Name, func(key gitops.Key) bool { return !going[key] })
		if d.Weight += inside; inside > 0 {
			d.With = "with at least " + gitops.Count(inside, "object") + " in it"
		}
	case k.Group == "apiextensions.k8s.io" && k.Kind == "CustomResourceDefinition":
		instances := there.Instances(ctx, k.Name)
		if d.Weight += instances; instances > 0 {
			d.With = "with " + gitops.Count(instances, "object") + " of its kind"
		}
	case k.Group == "" && d.Weight == weightOfVolume:
		d.With = "with its data, as its reclaim policy says"
	case k.Group == v1alpha1.Group && k.Kind == v1alpha1.ApplicationKind:
		d.With = cascading(r.Apps.Child(a.Live))
	case k.Group == v1alpha1.Group && k.Kind == v1alpha1.ApplicationSetKind:
		if n := len(r.Apps.GeneratedBy(a.Live)); n > 0 {
			d.Weight += n * weightOfApp
			d.With = "with its " + gitops.Count(n, "application")
		}
	}
	return d
}

// ChildApps are the Applications of the fleet that a list takes along, those of
// its ApplicationSets among them. What no engine looks at is none, whatever its
// kind: who makes such objects would use up the fleet's limit with them.
func (r *Keeper) ChildApps(p *gitops.Plan, list guard.List) []string {
	listed := map[string]bool{}
	for _, d := range list {
		listed[d.Name] = true
	}
	var out []string
	for _, a := range doomed(p) {
		if a.Key.Group != v1alpha1.Group || !listed[a.Key.String()] {
			continue
		}
		apps := r.Apps.GeneratedBy(a.Live)
		if a.Key.Kind == v1alpha1.ApplicationKind {
			apps = []*v1alpha1.Application{r.Apps.Child(a.Live)}
		}
		for _, app := range apps {
			if r.Guard.counts(app) {
				out = append(out, client.ObjectKeyFromObject(app).String())
			}
		}
	}
	return out
}

// cascading tells which objects go with an Application; nothing when there are none.
func cascading(app *v1alpha1.Application) string {
	if app == nil || !slices.ContainsFunc(app.Finalizers, func(f string) bool { return strings.HasPrefix(f, v1alpha1.FinalizerResources) }) {
		return ""
	}
	return outline.Objects(app)
}
