package application

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// progressPause is the usual one of Options.ProgressPause.
const progressPause = 5 * time.Second

// observe is what there is after an operation ran: where none did, it is what was
// compared before.
func (r *Reconciler) observe(ctx context.Context, t *state.Target, compared *state.Comparison, ran bool) (*state.Comparison, error) {
	if !ran {
		return compared, nil
	}
	after, err := r.compareWith(ctx, t, compared.Rendering)
	if err != nil {
		return nil, err
	}
	after.Withheld = compared.Withheld
	return after, nil
}

// report writes what was observed into the status, tells who follows the Application,
// and says when to look again. before is the status as an operation found it that ran.
func (r *Reconciler) report(ctx context.Context, v *visit, c *state.Comparison, before *v1alpha1.ApplicationStatus, ran bool) {
	out, t, app := v.out, v.target, v.app
	show(app, c, r.Checks, r.Now())
	r.showPinned(t, c)
	r.comparedAgain(out, t, c, before.Sync)
	r.journal.Note(t, before)
	if app.Status.OperationState.Runs() || app.Status.Health.Status == v1alpha1.HealthStatusProgressing {
		out.Again(r.ProgressPause)
	}
	if ran && !app.Status.OperationState.Runs() && suspects(c.Plan) {
		out.Again(time.Millisecond) // what a dry run has to settle is not out of sync yet
	}
	r.showFailure(app, c)
	r.showDenied(out, app)
	r.orphans(ctx, t, c)
	if c.Plan.Sync == gitops.Synced {
		r.Dependencies.Pass(client.ObjectKeyFromObject(app), c.Rendering.Digest)
	}
	if state.Settling(app) && (ran || v.found.Pending.Deferred() && c.Plan.Sync == gitops.Synced) {
		r.claims.Own(app, t.Found) // what comes back of it is to be known as the engine's word
		r.pending.Defer(app, out, v.found.Pending, r.Now())
	}
	if r.Compared != nil {
		r.Compared(app, c.Revisions)
	}
	out.Again(steady)
}
