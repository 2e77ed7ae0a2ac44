package application

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// disown takes out of an Application what only the engine may say of an
// operation and did not say: that it asked by itself, that it goes back by
// itself, that deletions were approved. ours reports that the status is what
// this process has kept, and was not read from the Application.
func (r *Reconciler) disown(out *report.Outcome, app *v1alpha1.Application, ours bool) {
	var took []string
	if op := app.Operation; op != nil && !r.Seal.Genuine(app.UID, metav1.Time{}, op) {
		took = operation.Disown(op)
	}
	if running(app) && !ours {
		st := app.Status.OperationState
		if op := &st.Operation; operation.Claims(op) && !r.Seal.Genuine(app.UID, st.StartedAt, op) {
			took = append(took, operation.Disown(op)...)
		}
	}
	if len(took) > 0 {
		out.Event(corev1.EventTypeWarning, "OperationClaimsIgnored", "Left out of the operation, because only the engine may say so: "+strings.Join(took, ", "))
	}
}

// runningSince is when the operation that an Application is busy with began, or zero.
func runningSince(app *v1alpha1.Application) metav1.Time {
	if !running(app) {
		return metav1.Time{}
	}
	return app.Status.OperationState.StartedAt
}

// own seals what the engine says of operations, and that it saw one begin
// where that lets it run into a window: not of the one that was found, whose
// time anybody may have written.
func (r *Reconciler) own(app *v1alpha1.Application, t *target, found metav1.Time) {
	if op := app.Operation; op != nil && operation.Claims(op) {
		r.Seal.Stamp(app.UID, metav1.Time{}, op)
	}
	if !running(app) {
		return
	}
	st := app.Status.OperationState
	if t != nil && !st.StartedAt.Equal(&found) && slices.ContainsFunc(t.project.Spec.SyncWindows, func(w *v1alpha1.SyncWindow) bool { return w != nil && w.SyncOverrun }) {
		operation.SeeBegin(&st.Operation)
	}
	if operation.Claims(&st.Operation) {
		r.Seal.Stamp(app.UID, st.StartedAt, &st.Operation)
	}
}

// beganAt is when an operation began, as far as the engine says so: the zero
// time where somebody else may have written it.
func beganAt(st *v1alpha1.OperationState) time.Time {
	if !operation.SeenBegin(&st.Operation) {
		return time.Time{}
	}
	return st.StartedAt.Time
}
