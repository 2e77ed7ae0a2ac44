package application

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// operating tells that an operation runs or was asked for: a deletion waits
// for its end.
func operating(app *v1alpha1.Application) bool { return running(app) || app.Operation != nil }

// lastLook ends the operation of an Application that is being deleted when it
// cannot go on by itself: it failed, waits for its next try, for a person or
// for a sync window. What it has applied goes with the rest.
func (r *Reconciler) lastLook(out *report.Outcome, app *v1alpha1.Application, err error) {
	if err == nil && running(app) && app.Status.OperationState.FinishedAt == nil && r.attempts.get(client.ObjectKeyFromObject(app)) != nil {
		return
	}
	app.Operation = nil
	if st := app.Status.OperationState; running(app) {
		at := seconds(r.Now())
		st.Phase, st.FinishedAt = v1alpha1.OperationFailed, &at
		st.Message = "ended, because the Application is being deleted: " + st.Message
		if err != nil {
			st.Message = "ended, because the Application is being deleted: " + err.Error()
		}
		r.attempts.end(client.ObjectKeyFromObject(app))
	}
	out.Again(nextStep)
}
