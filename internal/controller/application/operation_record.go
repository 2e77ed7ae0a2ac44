package application

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

// recordStart writes the operation into the status before the first of its
// hooks runs: an engine that is killed after that would begin another
// operation otherwise, and run them again. A sync without hooks needs no such
// record, and no write for it.
func (r *Reconciler) recordStart(out *report.Outcome, t *state.Target, p *gitops.Plan) error {
	if !startsHooks(p) || recorded(out, t.App.Status.OperationState) {
		return nil
	}
	r.claims.Own(t.App, t.Found)
	return out.Checkpoint()
}

func startsHooks(p *gitops.Plan) bool {
	for a := range p.All() {
		if a.Hook && a.Verb != gitops.Keep {
			return true
		}
	}
	return false
}

// recorded reports whether the hub knows of an operation that runs.
func recorded(out *report.Outcome, st *v1alpha1.OperationState) bool {
	before, ok := out.Before().(*v1alpha1.Application)
	if !ok {
		return false
	}
	was := before.Status.OperationState
	return was.Proceeds() && was.StartedAt.Equal(&st.StartedAt) && was.RetryCount == st.RetryCount
}

// cleanRecorded deletes the hooks that succeeded, once the status says that
// they ran: nothing else tells it after that.
func (r *Reconciler) cleanRecorded(ctx context.Context, out *report.Outcome, t *state.Target, a *state.Attempt) error {
	if len(plan.Leftovers(a.Plan, &a.Progress, plan.HookSucceeded)) == 0 {
		return nil
	}
	r.claims.Own(t.App, t.Found)
	if err := out.Checkpoint(); err != nil {
		return err
	}
	r.clean(ctx, t, a, plan.HookSucceeded)
	return nil
}
