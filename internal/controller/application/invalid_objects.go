package application

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// faults are the objects of a plan that cannot be applied as they stand, as
// results of a sync: nothing was tried with them.
func faults(p *gitops.Plan) (results v1alpha1.ResourceResults, problems []error) {
	for action, wave := range actions(p) {
		if action.Fault == nil {
			continue
		}
		s := result(&gitops.Result{
			Key: action.Key, Version: version(action), Verb: action.Verb, Phase: wave.Phase, Hook: action.Hook,
			Status: string(v1alpha1.ResultCodeSyncFailed), Message: action.Fault.Error(),
		})
		s.HookPhase = ""
		results, problems = append(results, s), append(problems, action.Fault)
	}
	return results, problems
}

// faulty ends a try with objects that cannot be applied before anything is
// done. It reports whether it did.
func (r *Reconciler) faulty(out *report.Outcome, t *target, p *gitops.Plan) bool {
	results, problems := faults(p)
	if len(problems) == 0 {
		return false
	}
	st := t.App.Status.OperationState
	st.SyncResult.Resources = results
	r.attempts.end(client.ObjectKeyFromObject(t.App))
	fail(st, told(problems), r.Now())
	out.Event(corev1.EventTypeWarning, "SyncFailed", st.Message)
	if wait := untilRetry(st, r.Now()); wait > 0 && st.Runs() {
		out.Again(wait)
	}
	return true
}

// mended tells that a try ended with objects that could not be applied, and
// that they can be now: the next try need not wait.
func mended(st *v1alpha1.OperationState, p *gitops.Plan) bool {
	if !untried(st) {
		return false
	}
	_, problems := faults(p)
	return len(problems) == 0
}
