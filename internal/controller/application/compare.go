package application

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// comparison is an application's desired state beside its live one.
type comparison struct {
	wanted

	compare.Comparison

	// asked tells that somebody asked for the look, and waits for what it finds.
	asked bool
	// withheld is why no automated sync was started although one is due.
	withheld string
}

// compare reads the live objects out of the cluster's cache and plans what a
// sync by the application's own policy would do.
func (r *Reconciler) compare(ctx context.Context, t *target, rendering *gitops.Rendering) (*comparison, error) {
	found, err := r.comparer().Compare(ctx, &t.subject, rendering, ask(t.App))
	if err != nil {
		return nil, err
	}
	found.Plan.Warnings = append(found.Plan.Warnings, r.misreadGuard(t.App)...)
	return &comparison{
		wanted:     wanted{sources: t.Sources, revisions: rendering.Revisions, multiple: t.App.Spec.HasMultipleSources()},
		Comparison: *found, asked: t.asked,
	}, nil
}

// ask is what the application's own policy wants of a comparison.
func ask(app *v1alpha1.Application) compare.Ask {
	return compare.Ask{
		Prune: app.Spec.SyncPolicy.AutomatedPrune(), Hooks: true, Approved: plan.Confirmed(app.Annotations, operationStart(app)),
	}
}

// input is the plan's input for the application's own policy.
func (r *Reconciler) input(ctx context.Context, t *target, c *comparison) plan.Input {
	return r.comparer().PlanInput(ctx, &t.subject, &c.Comparison, ask(t.App))
}

func (r *Reconciler) comparing() *plan.Settings {
	if r.Comparing == nil {
		return nil
	}
	return r.Comparing()
}

// operationStart is when the operation that runs began: only what a person
// confirms after that counts.
func operationStart(app *v1alpha1.Application) time.Time {
	if app.Status.OperationState.Runs() {
		return app.Status.OperationState.StartedAt.Time
	}
	return time.Time{}
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
