package application

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// comparison is an application's desired state beside its live one.
type comparison struct {
	wanted

	rendering *gitops.Rendering
	set       *plan.Set
	live      map[gitops.Key]*gitops.Live
	plan      *gitops.Plan
	// asked tells that somebody asked for the look, and waits for what it finds.
	asked bool
	// withheld is why no automated sync was started although one is due.
	withheld string
}

// compare reads the live objects out of the cluster's cache and plans what a
// sync by the application's own policy would do.
func (r *Reconciler) compare(ctx context.Context, t *target, rendering *gitops.Rendering) (*comparison, error) {
	set, live, err := r.look(ctx, t, rendering)
	if err == nil && set.Unserved(t.cluster.Scope()) { // the look has found new kinds
		set, live, err = r.look(ctx, t, rendering)
	}
	if err != nil {
		return nil, err
	}
	c := &comparison{
		wanted:    wanted{sources: t.sources, revisions: rendering.Revisions, multiple: t.app.Spec.HasMultipleSources()},
		rendering: rendering, set: set, live: live, asked: t.asked,
	}
	foreign := t.leaveForeign(set, live)
	if c.plan, err = plan.Make(r.input(ctx, t, c)); err != nil {
		return nil, err
	}
	c.plan.Warnings = append(c.plan.Warnings, foreign...)
	c.plan.Warnings = append(c.plan.Warnings, r.misreadGuard(t.app)...)
	for action := range actions(c.plan) {
		if action.Desired != nil && t.permits(action) != nil {
			action.Sync = gitops.SyncUnknown // as the project forbids to look at it
		}
	}
	return c, nil
}

func (r *Reconciler) comparing() *plan.Settings {
	if r.Comparing == nil {
		return nil
	}
	return r.Comparing()
}

// look brings the manifests into their desired form and reads what is there of them.
func (r *Reconciler) look(ctx context.Context, t *target, rendering *gitops.Rendering) (*plan.Set, map[gitops.Key]*gitops.Live, error) {
	set, err := plan.Desired(plan.Want{
		App: t.app, TrackingName: t.tracking, Tracking: r.tracking(), Manifests: rendering.Manifests, Scope: t.cluster.Scope(), Options: t.options,
		Settings: r.comparing(), Server: t.cluster.Desc().Server,
	})
	if err != nil {
		return nil, nil, err
	}
	live, err := t.cluster.Live(ctx, t.tracking, t.kinds(set), t.visible(set))
	return set, live, err
}

func (r *Reconciler) tracking() gitops.Tracking {
	if r.Tracking == nil {
		return gitops.Tracking{}
	}
	return r.Tracking()
}

// input is the plan's input for the application's own policy.
func (r *Reconciler) input(ctx context.Context, t *target, c *comparison) plan.Input {
	server := t.cluster.Desc().Server
	return plan.Input{
		Taken: func(keys []gitops.Key) map[gitops.Key]string { return r.taken(ctx, t.app.UID, t.cluster, keys) },
		Set:   c.set, Live: c.live, Prune: t.app.Spec.SyncPolicy.AutomatedPrune(), Hooks: true,
		Gone:     func(tracking string, held gitops.Key) bool { return r.letsGo(ctx, tracking, held) },
		Approved: plan.Confirmed(t.app.Annotations, operationStart(t.app)),
		Known: func(key gitops.Key, digest, live string) bool {
			return r.Memo.Known(server, key, digest, live)
		},
	}
}

// operationStart is when the operation that runs began: only what a person
// confirms after that counts.
func operationStart(app *v1alpha1.Application) time.Time {
	if app.Status.OperationState.Runs() {
		return app.Status.OperationState.StartedAt.Time
	}
	return time.Time{}
}

// Kinds are those of the desired objects and of the objects that the
// application had: a kind that is no longer desired may have to be pruned. What
// the project denies everywhere is not watched because a file names it.
func Kinds(app *v1alpha1.Application, set *plan.Set, project *v1alpha1.AppProject, scope gitops.Scope) []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	known := map[schema.GroupKind]bool{}
	add := func(gvk schema.GroupVersionKind) {
		if !known[gvk.GroupKind()] {
			known[gvk.GroupKind()] = true
			all = append(all, gvk)
		}
	}
	for i := range set.Objects {
		add(set.Objects[i].Object.GroupVersionKind())
	}
	if set.Namespace != nil {
		add(set.Namespace.Object.GroupVersionKind())
	}
	for _, s := range app.Status.Resources {
		add(schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind})
	}
	return slices.DeleteFunc(all, func(k schema.GroupVersionKind) bool {
		if set.Namespace != nil && k.GroupKind() == set.Namespace.Object.GroupVersionKind().GroupKind() {
			return false
		}
		return deniedEverywhere(project, k, scope)
	})
}

// confirmsInFlight bounds the dry runs of one application.
const confirmsInFlight = 8

// suspects reports whether a dry run has to settle what is known of some object.
func suspects(p *gitops.Plan) bool {
	for action := range actions(p) {
		if action.Suspect && !action.Hook && !action.Namespace {
			return true
		}
	}
	return false
}

// confirm settles, by dry runs, which of the objects that may differ do.
func (r *Reconciler) confirm(ctx context.Context, t *target, p *gitops.Plan) error {
	g, ctx := crew.WithContext(ctx)
	g.SetLimit(confirmsInFlight)
	for action := range actions(p) {
		if !action.Suspect || action.Hook || action.Namespace {
			continue
		}
		g.Go(func() error {
			if t.refusal != nil {
				return t.refusal
			}
			settled, err := r.Apply.Confirm(ctx, t.writer, *action)
			if err != nil {
				return err
			}
			*action = settled
			if settled.Live != nil && settled.Live.Content != "" {
				t.cluster.Follow(settled.Live)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	p.Sync = plan.Verdict(p)
	return nil
}

// gone tells that no Application has this tracking name.
func (r *Reconciler) gone(tracking string) bool {
	namespace, name := gitops.SplitTrackingName(tracking, r.Namespace)
	return !r.Apps.Has(types.NamespacedName{Namespace: namespace, Name: name})
}
