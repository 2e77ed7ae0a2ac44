package compare

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Compare reads the live objects of a subject, and plans what a sync of what was
// rendered would do.
func (c *Comparer[C]) Compare(ctx context.Context, s *Subject[C], rendering *gitops.Rendering, ask Ask) (*Comparison, error) {
	set, live, err := c.bothSides(ctx, s, rendering)
	if err == nil && set.Unserved(s.Cluster.Scope()) { // the look has found new kinds
		set, live, err = c.bothSides(ctx, s, rendering)
	}
	if err != nil {
		return nil, err
	}
	out := &Comparison{Rendering: rendering, Set: set, Live: live}
	foreign := s.LeaveForeign(set, live)
	if out.Plan, err = plan.Make(c.PlanInput(ctx, s, out, ask)); err != nil {
		return nil, err
	}
	out.Plan.Warnings = append(out.Plan.Warnings, foreign...)
	for _, w := range out.Plan.Waves {
		for i := range w.Actions {
			if action := &w.Actions[i]; action.Desired != nil && s.PermitsAction(action) != nil {
				action.Sync = gitops.SyncUnknown // as the project forbids to look at it
			}
		}
	}
	return out, nil
}

// bothSides brings the manifests into their desired form and reads what is there of them.
func (c *Comparer[C]) bothSides(ctx context.Context, s *Subject[C], rendering *gitops.Rendering) (*plan.Set, map[gitops.Key]*gitops.Live, error) {
	set, err := c.Desired(s, rendering)
	if err != nil {
		return nil, nil, err
	}
	live, err := s.Live(ctx, set)
	return set, live, err
}

// Desired brings what was rendered into its desired form.
func (c *Comparer[C]) Desired(s *Subject[C], rendering *gitops.Rendering) (*plan.Set, error) {
	want := plan.Want{
		App: s.App, TrackingName: s.Tracking, Manifests: rendering.Manifests, Scope: s.Cluster.Scope(),
		Options: s.Options, Server: s.Cluster.Desc().Server,
	}
	if c.Tracking != nil {
		want.Tracking = c.Tracking()
	}
	if c.Comparing != nil {
		want.Settings = c.Comparing()
	}
	return plan.Desired(want)
}

// PlanInput is the input of the plan for what somebody wants of a comparison.
func (c *Comparer[C]) PlanInput(ctx context.Context, s *Subject[C], of *Comparison, ask Ask) plan.Input {
	in := plan.Input{
		Set: of.Set, Live: of.Live, Prune: ask.Prune, Hooks: ask.Hooks, Approved: ask.Approved,
		Taken: func(keys []gitops.Key) (map[gitops.Key]string, error) {
			return c.Taken(ctx, s.App.UID, s.Cluster, keys)
		},
		Gone: func(tracking string, held gitops.Key) bool { return c.LetsGo(ctx, tracking, held) },
	}
	if server := s.Cluster.Desc().Server; c.Memo != nil {
		in.Known = func(key gitops.Key, digest, live string) bool { return c.Memo.Known(server, key, digest, live) }
	}
	return in
}

// Live reads what is there of a set, and of the objects that the Application had, after
// watching their kinds.
func (s *Subject[C]) Live(ctx context.Context, set *plan.Set) (map[gitops.Key]*gitops.Live, error) {
	return s.Cluster.Live(ctx, s.Tracking, s.kinds(set), s.visible(set))
}

// kinds are those of the desired objects and of the objects that the Application
// had: a kind that is no longer desired may have to be pruned. What the project
// denies everywhere is not watched because a file names it.
func (s *Subject[C]) kinds(set *plan.Set) []schema.GroupVersionKind {
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
	for _, r := range s.App.Status.Resources {
		add(schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind})
	}
	scope := s.Cluster.Scope()
	return slices.DeleteFunc(all, func(k schema.GroupVersionKind) bool {
		if set.Namespace != nil && k.GroupKind() == set.Namespace.Object.GroupVersionKind().GroupKind() {
			return false
		}
		return policy.DeniedEverywhere(s.Project, k.GroupKind(), scope)
	})
}
