package massdeletion

import (
	"context"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// mostGenerations bounds how far up owners are followed: a Pod has two above it.
const mostGenerations = 5

// kin is an object whose owners are looked up.
type kin struct {
	uid     types.UID
	version schema.GroupVersionKind
	key     gitops.Key
}

// lineage are the owners of what owns objects of a plan and is no part of it, by
// their UIDs: what a ReplicaSet has goes with its Deployment. Nobody is asked where
// the plan deletes nothing. What the project does not permit is not looked at, and
// so taken to stay.
func (r *Keeper) lineage(ctx context.Context, t *state.Target, p *gitops.Plan) (map[types.UID][]types.UID, error) {
	out := map[types.UID][]types.UID{}
	if len(leaving(p)) == 0 || t.IsRefused() {
		return out, nil
	}
	seen := map[types.UID]bool{}
	for a := range p.All() {
		if a.Live != nil {
			seen[a.Live.UID] = true
		}
	}
	var next []kin
	for a := range p.All() {
		if followed(a) && t.Sees(a.Key) && slices.ContainsFunc(a.Live.Owners, func(uid types.UID) bool { return !seen[uid] }) {
			next = append(next, kin{a.Live.UID, a.Live.Version, a.Key})
		}
	}
	for range mostGenerations {
		if len(next) == 0 {
			break
		}
		above, err := r.above(ctx, t, next, out)
		if err != nil {
			return nil, err
		}
		next = slices.DeleteFunc(above, func(k kin) bool {
			known := seen[k.uid]
			seen[k.uid] = true
			return known
		})
	}
	for a := range p.All() {
		if a.Live != nil {
			delete(out, a.Live.UID) // what it has after the plan is known better, see ownersAfter
		}
	}
	return out, nil
}

// followed tells of an object that may go along with another one.
func followed(a *gitops.Action) bool {
	return a.Live != nil && !a.Live.Deleting && !a.Hook && a.Verb != gitops.Prune && !a.Disowned
}

// above notes who owns objects, and gives those owners.
func (r *Keeper) above(ctx context.Context, t *state.Target, all []kin, into map[types.UID][]types.UID) ([]kin, error) {
	var (
		mu  sync.Mutex
		out []kin
	)
	g, ctx := crew.WithContext(ctx)
	g.SetLimit(state.ConfirmsInFlight)
	for _, k := range all {
		g.Go(func() error {
			live, err := t.Cluster.Get(ctx, k.version, k.key.Namespace, k.key.Name)
			if err != nil || live.GetUID() != k.uid {
				return ctx.Err() // what is not known to go stays
			}
			mu.Lock()
			defer mu.Unlock()
			for i, o := range live.GetOwnerReferences() {
				into[k.uid] = append(into[k.uid], o.UID)
				if key, ok := t.KeyOf(k.key.Namespace, o); ok && i < mostOwners {
					out = append(out, kin{o.UID, versionOf(o), key})
				}
			}
			return nil
		})
	}
	return out, g.Wait()
}

func versionOf(o metav1.OwnerReference) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
}
