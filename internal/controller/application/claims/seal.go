package claims

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// none is when an operation began that has not.
var none v1alpha1.Time

// Disown takes out of an Application what only the engine may say of an
// operation and did not say: that it asked by itself, that it goes back by
// itself, that deletions were approved. What has ended stays as it is.
func (j *Judge) Disown(ctx context.Context, out *report.Outcome, app *v1alpha1.Application) state.AsRead {
	took := j.refuse(ctx, app)
	var found state.AsRead
	if st := app.Status.OperationState; st != nil {
		foreign := operation.Claims(&st.Operation) && !j.Seal.Genuine(app.UID, st.StartedAt, &st.Operation)
		switch {
		case st.Runs() && foreign:
			took = append(took, operation.Doubt(&st.Operation)...)
			modest(app, &st.Operation)
		case foreign:
			at := st.StartedAt
			found.Foreign = &at
		}
	}
	if len(took) > 0 {
		out.Event(corev1.EventTypeWarning, "OperationClaimsIgnored", "Not believed of the operation, because only the engine may say so: "+strings.Join(took, ", "))
	}
	return found
}

// refuse takes out of what an Application is asked for what is not believed of it. What
// the engine itself asked for, and that came too late or has been seen before, goes on as
// begun by itself, because that lets it do less than what a person asks for.
func (j *Judge) refuse(ctx context.Context, app *v1alpha1.Application) []string {
	op := app.Operation
	if j.believed(ctx, app) || op == nil {
		return nil
	}
	byItself := op.InitiatedBy.Automated && j.Seal.Genuine(app.UID, none, op)
	var took []string
	if request, _ := operation.Asked(op); request != "" || !byItself {
		took = operation.Refuse(op)
		op.InitiatedBy.Automated = byItself
	}
	modest(app, op)
	return took
}

// modest has an operation that says that it began by itself prune no more than one
// that did.
func modest(app *v1alpha1.Application, op *v1alpha1.Operation) {
	if op.InitiatedBy.Automated && op.Sync != nil {
		op.Sync.Prune = op.Sync.Prune && app.Spec.SyncPolicy.AutomatedPrune()
	}
}

// Own seals what the engine says of operations.
func (j *Judge) Own(app *v1alpha1.Application, found state.AsRead) {
	st := app.Status.OperationState
	if op := app.Operation; op != nil && operation.Claims(op) {
		if request, _ := operation.Asked(op); request == "" && !op.InitiatedBy.Automated {
			operation.Bare(op)
		} else {
			j.Seal.Stamp(app.UID, none, op)
		}
	}
	if st != nil && !st.StartedAt.Equal(found.Foreign) && operation.Claims(&st.Operation) {
		j.Seal.Stamp(app.UID, st.StartedAt, &st.Operation)
	}
}
