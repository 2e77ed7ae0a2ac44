package massdeletion

import (
	"context"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// mostOwners bounds the owners of an object that are looked at. One that gets more
// counts as if one of them were not there.
const mostOwners = 10

// Unowned finds out which objects of a plan Kubernetes' garbage collector would
// delete: those that get an owner that is not there or may go by itself, and those
// whose owners go.
func (r *Keeper) Unowned(ctx context.Context, t *state.Target, p *gitops.Plan) error {
	owners := r.ownersIn(t, p)
	g, inGroup := crew.WithContext(ctx)
	g.SetLimit(state.ConfirmsInFlight)
	for a := range p.All() {
		if !adopted(a) || t.Refusal != nil || t.PermitsAction(a) != nil {
			continue
		}
		g.Go(func() error {
			a.Disowned = !owners.have(inGroup, a)
			return inGroup.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	between, err := r.lineage(ctx, t, p)
	if err != nil {
		return err
	}
	disownAlong(p, between)
	return nil
}

// adopted reports whether an action gives an object that is there another owner.
func adopted(a *gitops.Action) bool {
	return a.Verb == gitops.Update && a.Live != nil && !a.Live.Deleting && !a.Hook && a.Desired != nil && len(plan.NewOwners(a.Live, a.Desired.Object)) > 0
}

// owners are the objects of a plan that others may get as their owners: those that
// are there and stay. What else there is may go without a sync that deletes it, as a
// Pod does by the next rollout and what another application has by that one.
type owners struct {
	r  *Keeper
	t  *state.Target
	of map[gitops.Key]*owner
}

// owner is asked for once, however many objects get it.
type owner struct {
	action *gitops.Action
	once   sync.Once
	stays  bool
}

func (r *Keeper) ownersIn(t *state.Target, p *gitops.Plan) owners {
	going := leavingKeys(p)
	out := owners{r, t, map[gitops.Key]*owner{}}
	for a := range p.All() {
		if a.Live != nil && !a.Live.Deleting && !a.Hook && !going[a.Key] && len(a.Live.Owners) == 0 && !mayGo(a.Desired) {
			out.of[a.Key] = &owner{action: a}
		}
	}
	return out
}

// have reports whether each owner that an object gets is there and stays.
func (s owners) have(ctx context.Context, a *gitops.Action) bool {
	all := a.Desired.Object.GetOwnerReferences()
	if a.Live != nil {
		all = plan.NewOwners(a.Live, a.Desired.Object)
	}
	return len(all) <= mostOwners && !slices.ContainsFunc(all, func(o metav1.OwnerReference) bool {
		return !s.stays(ctx, a.Key.Namespace, o)
	})
}

// stays looks for an owner where Kubernetes does: in the namespace of what it owns,
// or in none. What the project does not permit is not looked for.
func (s owners) stays(ctx context.Context, namespace string, o metav1.OwnerReference) bool {
	key, ok := s.t.KeyOf(namespace, o)
	found := s.of[key]
	if !ok || found == nil || found.action.Live.UID != o.UID {
		return false
	}
	found.once.Do(func() {
		live, err := s.t.Cluster.Get(ctx, found.action.Live.Version, key.Namespace, key.Name)
		found.stays = err == nil && live.GetUID() == o.UID && live.GetDeletionTimestamp() == nil && len(live.GetOwnerReferences()) == 0 && !transient(live)
	})
	return found.stays
}

// mayGo tells of what is desired that it has an owner, or goes by itself.
func mayGo(m *gitops.Manifest) bool {
	return m != nil && (len(m.Object.GetOwnerReferences()) > 0 || transient(m.Object))
}

// transientKinds are objects that Kubernetes deletes when they are over, or nobody
// needs them any more. A Job may get its time to live later.
var transientKinds = map[schema.GroupKind]bool{
	{Kind: "Pod"}:                           true,
	{Kind: "Node"}:                          true,
	{Kind: "Event"}:                         true,
	{Group: "batch", Kind: "Job"}:           true,
	{Group: "events.k8s.io", Kind: "Event"}: true,
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: true,
}

// transient tells of an object that it goes by itself: by its kind, or as its spec has
// a time to live, which those of workflows call as Jobs do.
func transient(o *unstructured.Unstructured) bool {
	return transientKinds[o.GroupVersionKind().GroupKind()] || lapses(o.Object["spec"])
}

// lapses tells of a field for a time to live, wherever it is.
func lapses(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if strings.HasPrefix(strings.ToLower(name), "ttl") || lapses(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, lapses)
	}
	return false
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
// Between are the owners of objects that are no part of the plan, as a ReplicaSet is
// none, by their UIDs.
func disownAlong(p *gitops.Plan, between map[types.UID][]types.UID) {
	k := kinshipOf(p, between)
	var queue []types.UID
	for _, a := range leaving(p) {
		if a.Verb != gitops.Prune || a.Options.PrunePolicy != gitops.DeleteOrphan {
			queue = append(queue, a.Live.UID)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if uid := queue[0]; !k.gone[uid] {
			k.gone[uid] = true
			queue = append(queue, k.along(uid)...)
		}
	}
}

// kinship is who owns whom, and who has gone.
type kinship struct {
	// owned are those that may go with an owner that they have, and kept those that
	// have it for sure after the plan.
	owned, kept map[types.UID][]*member
	gone        map[types.UID]bool
}

// member is an object that has owners.
type member struct {
	uid types.UID
	// action is nil for an object that is no part of the plan.
	action *gitops.Action
	// left is how many of its owners have not gone.
	left int
}

func kinshipOf(p *gitops.Plan, between map[types.UID][]types.UID) *kinship {
	k := &kinship{owned: map[types.UID][]*member{}, kept: map[types.UID][]*member{}, gone: map[types.UID]bool{}}
	for a := range p.All() {
		if a.Live != nil && !a.Hook && !a.Live.Deleting && len(a.Live.Owners) > 0 {
			k.add(&member{uid: a.Live.UID, action: a}, a.Live.Owners, ownersAfter(a))
		}
	}
	for uid, owners := range between {
		k.add(&member{uid: uid}, owners, owners)
	}
	return k
}

func (k *kinship) add(m *member, has, after []types.UID) {
	m.left = len(after)
	for _, uid := range has {
		k.owned[uid] = append(k.owned[uid], m)
	}
	for _, uid := range after {
		k.kept[uid] = append(k.kept[uid], m)
	}
}

// along are those that go with an object that goes: of which no owner is left.
func (k *kinship) along(uid types.UID) []types.UID {
	for _, of := range k.kept[uid] {
		of.left--
	}
	var out []types.UID
	for _, of := range k.owned[uid] {
		if of.left == 0 && of.goes() {
			out = append(out, of.uid)
		}
	}
	return out
}

// goes marks an object as one that goes with its owners, unless it goes anyway.
func (m *member) goes() bool {
	if m.action == nil {
		return true
	}
	if m.action.Disowned || m.action.Verb == gitops.Prune {
		return false
	}
	m.action.Disowned = true
	return true
}
