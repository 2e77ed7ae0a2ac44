package application

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// mostOwners bounds the owners of an object that the cluster is asked for. One that
// gets more counts as if one of them were not there.
const mostOwners = 10

// unowned finds out which objects of a plan Kubernetes' garbage collector would
// delete: those that get an owner that is not there, and those whose owners go.
func (r *Reconciler) unowned(ctx context.Context, t *target, p *gitops.Plan) error {
	going := leavingKeys(p)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(confirmsInFlight)
	for a := range actions(p) {
		if !adopted(a) || t.refusal != nil || t.permits(a) != nil {
			continue
		}
		g.Go(func() error {
			a.Disowned = !r.haveOwners(ctx, t, a, going)
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	disownAlong(p)
	return nil
}

// adopted tells whether an action gives an object that is there another owner.
func adopted(a *gitops.Action) bool {
	return a.Verb == gitops.Update && a.Live != nil && !a.Live.Deleting && !a.Hook && a.Desired != nil && len(plan.NewOwners(a.Live, a.Desired.Object)) > 0
}

// haveOwners tells whether each owner that an object gets is there and stays.
func (r *Reconciler) haveOwners(ctx context.Context, t *target, a *gitops.Action, going map[gitops.Key]bool) bool {
	owners := a.Desired.Object.GetOwnerReferences()
	if a.Live != nil {
		owners = plan.NewOwners(a.Live, a.Desired.Object)
	}
	return len(owners) <= mostOwners && !slices.ContainsFunc(owners, func(o metav1.OwnerReference) bool {
		return !r.ownerStays(ctx, t, a.Key.Namespace, o, going)
	})
}

// ownerStays looks for an owner where Kubernetes does: in the namespace of what it
// owns, or in none. What the project does not permit is not looked for.
func (r *Reconciler) ownerStays(ctx context.Context, t *target, namespace string, o metav1.OwnerReference, going map[gitops.Key]bool) bool {
	gv, err := schema.ParseGroupVersion(o.APIVersion)
	if err != nil {
		return false
	}
	namespaced, known := t.cluster.Scope()(gv.Group, o.Kind)
	key := gitops.Key{Group: gv.Group, Kind: o.Kind, Name: o.Name}
	if namespaced {
		key.Namespace = namespace
	}
	if t.project == nil || !known || going[key] || key.Name == "" || gitops.CheckKey(key) != nil || policy.Live(t.project, key, t.place(), t.scoped) != nil {
		return false
	}
	live, err := t.cluster.Find(ctx, gv.WithKind(o.Kind), key)
	return err == nil && live != nil && live.UID == o.UID && !live.Deleting
}

// ownersAfter are the owners that an object has for sure after a plan: what an
// update does not give may be taken from it.
func ownersAfter(a *gitops.Action) []types.UID {
	if a.Verb != gitops.Update || a.Desired == nil {
		return a.Live.Owners
	}
	var out []types.UID
	for _, o := range a.Desired.Object.GetOwnerReferences() {
		out = append(out, o.UID)
	}
	return out
}

// disownAlong marks what goes with what a plan deletes, as nothing else owns it.
func disownAlong(p *gitops.Plan) {
	owned := map[types.UID][]*gitops.Action{}
	for a := range actions(p) {
		if a.Live == nil || a.Hook || a.Live.Deleting {
			continue
		}
		for _, uid := range a.Live.Owners {
			owned[uid] = append(owned[uid], a)
		}
	}
	gone := map[types.UID]bool{}
	for queue := leaving(p); len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		if gone[a.Live.UID] || a.Verb == gitops.Prune && a.Options.PrunePolicy == gitops.DeleteOrphan {
			continue
		}
		gone[a.Live.UID] = true
		for _, of := range owned[a.Live.UID] {
			if !of.Disowned && of.Verb != gitops.Prune && !slices.ContainsFunc(ownersAfter(of), func(uid types.UID) bool { return !gone[uid] }) {
				of.Disowned = true
				queue = append(queue, of)
			}
		}
	}
}
