package application

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/journal"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

// compare puts what the sources say beside what the cluster has, after which the
// visit has a target. An error is told already, with the stage at which it ended.
func (r *Reconciler) compare(ctx context.Context, v *visit) (_ *state.Comparison, err error) {
	asked := takeRefresh(v.app)
	v.out.Enter(report.Spec)
	if v.target, err = r.target(ctx, v.app); err != nil {
		return nil, v.out.Failed(report.Spec, err)
	}
	v.target.Found = v.found
	r.refresh(v.target, asked)
	v.out.Enter(report.Fetch)
	snaps, err := r.snapshots(ctx, v.target)
	if err != nil {
		return nil, v.out.Failed(report.Fetch, err)
	}
	v.out.Enter(report.Render)
	rendering, err := r.render(ctx, v.target, snaps)
	if err != nil {
		return nil, v.out.Failed(report.Render, err)
	}
	v.out.Enter(report.Plan)
	if v.compared, err = r.compareWith(difference.Share(ctx, v.app.Spec.GetProject()), v.target, rendering); err != nil {
		return nil, v.out.Failed(report.Plan, err)
	}
	if !removing(v.app) {
		deletion.MarkHooks(v.app, v.compared.Set)
	}
	v.out.Enter(report.Apply)
	v.target.Passes = journal.Passes(v.out)
	return v.compared, nil
}

// compareWith reads the live objects out of the cluster's cache and plans what a
// sync of a rendering by the application's own policy would do.
func (r *Reconciler) compareWith(ctx context.Context, t *state.Target, rendering *gitops.Rendering) (*state.Comparison, error) {
	found, err := r.comparer().Compare(ctx, &t.Subject, rendering, ask(t.App))
	if err != nil {
		return nil, err
	}
	found.Plan.Warnings = append(found.Plan.Warnings, r.Guard.Misread(t.App)...)
	return &state.Comparison{
		Wanted:     opstate.Wanted{Sources: t.Sources, Revisions: rendering.Revisions, Multiple: t.App.Spec.HasMultipleSources()},
		Comparison: *found, Asked: t.Asked,
	}, nil
}

// ask is what the application's own policy wants of a comparison.
func ask(app *v1alpha1.Application) compare.Ask {
	return compare.Ask{
		Prune: app.Spec.SyncPolicy.AutomatedPrune(), Hooks: true, Approved: plan.Confirmed(app.Annotations, opstate.OperationStart(app)),
	}
}

// input is the plan's input for the application's own policy.
func (r *Reconciler) input(ctx context.Context, t *state.Target, c *state.Comparison) plan.Input {
	return r.comparer().PlanInput(ctx, &t.Subject, &c.Comparison, ask(t.App))
}

func (r *Reconciler) comparing() *plan.Settings {
	if r.Comparing == nil {
		return nil
	}
	return r.Comparing()
}

// suspects reports whether a dry run has to settle what is known of some object.
func suspects(p *gitops.Plan) bool {
	for action := range p.All() {
		if action.Suspect && !action.Hook && !action.Namespace {
			return true
		}
	}
	return false
}

// confirm settles, by dry runs, which of the objects that may differ do.
func (r *Reconciler) confirm(ctx context.Context, t *state.Target, p *gitops.Plan) error {
	g, ctx := crew.WithContext(ctx)
	g.SetLimit(state.ConfirmsInFlight)
	for action := range p.All() {
		if !action.Suspect || action.Hook || action.Namespace {
			continue
		}
		g.Go(func() error {
			if t.Refusal != nil {
				return t.Refusal
			}
			settled, err := r.Apply.Confirm(ctx, t.Writer, *action)
			if err != nil {
				return err
			}
			*action = settled
			if settled.Live != nil && settled.Live.Content != "" {
				t.Cluster.Follow(settled.Live)
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
