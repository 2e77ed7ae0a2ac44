package application

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// finishFirst goes on with the operation of an Application that is being deleted.
// Whether that goes on is decided after a panic, too: it would keep the Application
// from going for ever.
func (r *Reconciler) finishFirst(ctx context.Context, v *visit) (err error) {
	defer func() { err = r.lastLook(v.out, v.app, err) }()
	return r.reconcile(ctx, v)
}

// lastLook ends the operation of an Application that is being deleted when it
// cannot go on by itself: it failed, waits for its next try, for a person, for
// a sync window or for what its objects depend on, or too long for an object to
// become healthy. What it has
// applied goes with the rest. A hook that runs is never cut off without a word:
// nobody knows what it has done by half.
func (r *Reconciler) lastLook(out *report.Outcome, app *v1alpha1.Application, err error) error {
	if noRoom(err) {
		return err // it has not been looked at
	}
	if err != nil || !r.goesOn(app) {
		r.endOperation(out, app, err)
		return err
	}
	name, message := client.ObjectKeyFromObject(app), app.Status.OperationState.Message
	// What it says of the health of objects may go to and fro for ever.
	since, news := r.stuck.Note(name, r.attempts.Get(name).Stage(), r.Now())
	if news {
		out.Event(corev1.EventTypeNormal, "Deleting", "the operation that runs comes first: "+message)
	}
	if left := r.StuckAfter - r.Now().Sub(since); left > 0 {
		out.Again(left)
		return nil
	}
	if !hookRuns(app) {
		r.endOperation(out, app, nil)
		return nil
	}
	return out.Failed(report.Delete, gitops.Problemf(gitops.NotReady, "a hook of the operation that runs comes before the deletion: %s", message).
		Do("to end the hook, after which the deletion goes on: causeway terminate "+opstate.Called(app, r.Namespace)))
}

// goesOn reports whether an operation runs which nothing but its objects holds back.
func (r *Reconciler) goesOn(app *v1alpha1.Application) bool {
	if !app.Status.OperationState.Runs() || app.Status.OperationState.BetweenTries() {
		return false
	}
	a := r.attempts.Get(client.ObjectKeyFromObject(app))
	return a != nil && a.DependsSince.IsZero()
}

func hookRuns(app *v1alpha1.Application) bool {
	result := app.Status.OperationState.SyncResult
	return result != nil && slices.ContainsFunc(result.Resources, func(r v1alpha1.ResourceResult) bool {
		return r.HookRuns()
	})
}

// endOperation gives up the operation of an Application, so that its deletion
// can go on. Err is why, where that is an error.
func (r *Reconciler) endOperation(out *report.Outcome, app *v1alpha1.Application, err error) {
	app.Operation = nil
	if st := app.Status.OperationState; st.Runs() {
		at := opstate.Ended(st, r.Now())
		st.FinishedAt = &at
		why := st.Message
		if err != nil {
			why = err.Error()
		}
		opstate.GiveUp(st, "ended, because the Application is being deleted: "+why)
		r.attempts.End(client.ObjectKeyFromObject(app))
	}
	out.Again(deletion.NextStep)
}
