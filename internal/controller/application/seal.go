package application

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// none is when an operation began that has not.
var none metav1.Time

// asRead is the operation of an Application as it was read.
type asRead struct {
	// running is when one began that has not ended; zero where there is none.
	running metav1.Time
	// foreign is when one began that has ended, and that the engine does not
	// vouch for; nil where there is none.
	foreign *metav1.Time
	// kept is the status that was held back; nil where none was.
	kept *heldStatus
}

// disown takes out of an Application what only the engine may say of an
// operation and did not say: that it asked by itself, that it goes back by
// itself, that deletions were approved. What has ended stays as it is.
func (r *Reconciler) disown(ctx context.Context, out *report.Outcome, app *v1alpha1.Application) asRead {
	var took []string
	if !r.believed(ctx, app) && app.Operation != nil {
		took = operation.Refuse(app.Operation)
	}
	var found asRead
	if st := app.Status.OperationState; st != nil {
		foreign := operation.Claims(&st.Operation) && !r.Seal.Genuine(app.UID, st.StartedAt, &st.Operation)
		switch at := st.StartedAt; {
		case st.Runs() && foreign:
			found.running, took = at, append(took, operation.Doubt(&st.Operation)...)
			modest(app)
		case st.Runs():
			found.running = at
		case foreign:
			found.foreign = &at
		}
	}
	if len(took) > 0 {
		out.Event(corev1.EventTypeWarning, "OperationClaimsIgnored", "Not believed of the operation, because only the engine may say so: "+strings.Join(took, ", "))
	}
	return found
}

// modest has an operation that says that it began by itself prune no more than one
// that did: it goes on as such, because that lets it do less.
func modest(app *v1alpha1.Application) {
	op := &app.Status.OperationState.Operation
	if op.InitiatedBy.Automated && op.Sync != nil {
		op.Sync.Prune = op.Sync.Prune && app.Spec.SyncPolicy.AutomatedPrune()
	}
}

// own seals what the engine says of operations, and that it saw one begin
// where that lets it run into a window: not of the one that was found, whose
// time anybody may have written.
func (r *Reconciler) own(app *v1alpha1.Application, t *target, found asRead) {
	st := app.Status.OperationState
	if st.Runs() && t != nil && !st.StartedAt.Equal(&found.running) && slices.ContainsFunc(t.project.Spec.SyncWindows, func(w *v1alpha1.SyncWindow) bool { return w != nil && w.SyncOverrun }) {
		operation.SeeBegin(&st.Operation)
	}
	if op := app.Operation; op != nil && operation.Claims(op) {
		r.Seal.Stamp(app.UID, none, op)
	}
	if st != nil && !st.StartedAt.Equal(found.foreign) && operation.Claims(&st.Operation) {
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
