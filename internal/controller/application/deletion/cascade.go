package deletion

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Cascade deletes the objects of the highest wave that is left, and tells
// what it waits for. It is over when none is left. Nothing has to be fetched
// or rendered for it.
func (r *Remover) Cascade(ctx context.Context, d *Removal) error {
	listed := r.listed(ctx, d)
	live, err := d.Cluster.Live(ctx, d.Tracking, d.kinds(), listed)
	if err != nil {
		return err
	}
	d, err = r.now(ctx, d)
	if err != nil {
		return err
	}
	own := make(map[gitops.Key]bool, len(listed))
	for _, k := range listed {
		own[k] = true
	}
	doomed, err := r.untaken(ctx, d, d.doomed(live, func(l *gitops.Live) bool { return r.inherits(ctx, l, own) }))
	if err != nil {
		return err
	}
	if len(doomed) == 0 {
		return nil
	}
	if err := r.unconfirmed(d.App, doomed); err != nil {
		return err
	}
	last := lastWave(doomed)
	outcome := r.Apply.Wave(ctx, d.Writer, gitops.Wave{Phase: gitops.Sync, Actions: deletions(last, propagation(d.App))})
	r.notify(d, whyCascade, outcome)
	for _, result := range outcome {
		if result.Err != nil {
			return result.Err
		}
	}
	return &Blocked{cluster: d.Cluster, object: longest(last), left: len(doomed)}
}

// doomed are the live objects that go with the Application, sorted: its own,
// and what it inherits.
func (d *Removal) doomed(live map[gitops.Key]*gitops.Live, inherits func(*gitops.Live) bool) []*gitops.Live {
	var out []*gitops.Live
	for key, l := range live {
		if (plan.Owned(l, d.Tracking) || inherits(l)) && !plan.Survives(l, d.App.Spec.SyncPolicy.Options()) && !d.itself(key) && d.permits(key) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b *gitops.Live) int { return cmp.Compare(a.Key.String(), b.Key.String()) })
	return out
}

// untaken leaves out what another Application has in its sources.
func (r *Remover) untaken(ctx context.Context, d *Removal, doomed []*gitops.Live) ([]*gitops.Live, error) {
	keys := make([]gitops.Key, 0, len(doomed))
	for _, l := range doomed {
		if !l.Deleting {
			keys = append(keys, l.Key)
		}
	}
	if len(keys) == 0 {
		return doomed, nil
	}
	taken, err := r.Comparer.Taken(ctx, d.App.UID, d.Cluster, keys)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(doomed, func(l *gitops.Live) bool { return taken[l.Key] != "" }), nil
}

// listed are the objects that an Application has in its sources, as far as
// its project permits both now.
func (r *Remover) listed(ctx context.Context, d *Removal) []gitops.Key {
	rules := r.Comparer.RulesOf(ctx, d.App, d.Cluster)
	if rules == nil {
		return nil
	}
	return slices.DeleteFunc(compare.OwnKeys(d.App), func(k gitops.Key) bool {
		return policy.Live(rules.Project, k, rules.Target, rules.Clusters) != nil
	})
}

// inherits reports whether an object goes with an Application that has it in
// its sources although another one made it: one that left it to this one, and
// is gone or going. Without it, objects of two Applications that go together
// would stay, each left to the other.
func (r *Remover) inherits(ctx context.Context, l *gitops.Live, listed map[gitops.Key]bool) bool {
	maker, ok := plan.Maker(l)
	return ok && listed[l.Key] && r.leaves(ctx, maker)
}

// leaves reports whether the Application with a tracking name is gone, or is
// being deleted.
func (r *Remover) leaves(ctx context.Context, tracking string) bool {
	if r.Comparer.Gone(ctx, tracking) {
		return true
	}
	namespace, name := gitops.SplitTrackingName(tracking, r.Namespace)
	app, err := r.Apps.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name})
	return err == nil && !app.DeletionTimestamp.IsZero()
}

// itself reports whether an object is the very Application: one that is part of
// what it deploys must not wait for itself.
func (d *Removal) itself(k gitops.Key) bool {
	return k.Group == v1alpha1.Group && k.Kind == v1alpha1.ApplicationKind && k.Name == d.App.Name && k.Namespace == d.App.Namespace
}

// unconfirmed tells which objects keep all from being deleted, because they
// ask for a person's word that has not been given since the deletion began.
func (r *Remover) unconfirmed(app *v1alpha1.Application, doomed []*gitops.Live) error {
	if plan.Confirmed(app.Annotations, app.DeletionTimestamp.Time) {
		return nil
	}
	var asking []*gitops.Live
	for _, l := range doomed {
		if !l.Deleting && plan.AsksBeforeDeletion(l, app.Spec.SyncPolicy.Options()) {
			asking = append(asking, l)
		}
	}
	if len(asking) == 0 {
		return nil
	}
	return &expected{what: "confirmation", problem: gitops.Problemf(gitops.NotReady, "waiting for a person to confirm the deletion of %s", opstate.FirstOf(asking[0].Key.String(), len(asking))).
		Do("confirm it with causeway approve " + opstate.Called(app, r.Namespace) + "; until then nothing of the Application is deleted")}
}

// lastWave returns the objects of the highest wave.
func lastWave(doomed []*gitops.Live) []*gitops.Live {
	var last []*gitops.Live
	var wave int
	for _, l := range doomed {
		switch w := plan.WaveOf(l.Annotations); {
		case len(last) == 0 || w > wave:
			last, wave = []*gitops.Live{l}, w
		case w == wave:
			last = append(last, l)
		}
	}
	return last
}

// longest picks the object to tell about: one that a finalizer other than
// that of foreground deletion holds, else the first.
func longest(last []*gitops.Live) *gitops.Live {
	for _, l := range last {
		if l.Deleting && len(foreign(l.Finalizers)) > 0 {
			return l
		}
	}
	return last[0]
}

func deletions(objects []*gitops.Live, policy gitops.Propagation) []gitops.Action {
	var out []gitops.Action
	for _, l := range objects {
		if l.Deleting {
			continue
		}
		out = append(out, gitops.Action{
			Verb: gitops.Prune, Key: l.Key, Live: l, Options: gitops.Options{PrunePolicy: policy}, Reason: "the application is being deleted",
		})
	}
	return out
}

func propagation(app *v1alpha1.Application) gitops.Propagation {
	if slices.Contains(app.Finalizers, v1alpha1.FinalizerResourcesBackground) {
		return gitops.DeleteBackground
	}
	return gitops.DeleteForeground
}

// kinds are those of which the cluster is asked: a status names what it likes.
func (d *Removal) kinds() []schema.GroupVersionKind {
	scope, server := d.Cluster.Scope(), d.Cluster.Desc().Server
	return slices.DeleteFunc(recordedKinds(d.App), func(k schema.GroupVersionKind) bool {
		return d.settings.LeavesAlone(k.Group, k.Kind, server) || policy.DeniedEverywhere(d.Project, k.GroupKind(), scope)
	})
}

// recordedKinds are those that the Application's status names: of its
// objects, and of what its last operation touched.
func recordedKinds(app *v1alpha1.Application) []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	known := map[schema.GroupVersionKind]bool{}
	add := func(gvk schema.GroupVersionKind) {
		if !known[gvk] {
			known[gvk] = true
			all = append(all, gvk)
		}
	}
	for _, s := range app.Status.Resources {
		add(schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind})
	}
	if st := app.Status.OperationState; st != nil && st.SyncResult != nil {
		for _, s := range st.SyncResult.Resources {
			add(schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind})
		}
	}
	return all
}
