package application

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// faulty ends a try with objects that cannot be applied before anything is
// done. It reports whether it did.
func (r *Reconciler) faulty(out *report.Outcome, t *state.Target, p *gitops.Plan) bool {
	results, problems := state.Faults(p)
	if len(problems) == 0 {
		return false
	}
	st := t.App.Status.OperationState
	st.SyncResult.Resources = results
	r.attempts.End(client.ObjectKeyFromObject(t.App))
	opstate.Fail(st, opstate.Told(problems), r.Now())
	out.Event(corev1.EventTypeWarning, "SyncFailed", st.Message)
	if pause := opstate.UntilRetry(st, r.Now()); pause > 0 && st.Runs() {
		out.Again(pause)
	}
	return true
}

// mended reports whether a try ended with objects that could not be applied, and
// that they can be now: the next try need not wait.
func mended(st *v1alpha1.OperationState, p *gitops.Plan) bool {
	if !state.Untried(st) {
		return false
	}
	_, problems := state.Faults(p)
	return len(problems) == 0
}
