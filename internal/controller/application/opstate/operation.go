package opstate

import (
	"reflect"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Wanted is what a sync would deploy: the sources at their resolved revisions.
type Wanted struct {
	Sources   v1alpha1.ApplicationSources
	Revisions []string
	Multiple  bool
}

// Requested returns the operation whose sources and revisions count: the one
// that runs, which goes on with nothing that is asked for meanwhile, or the one
// asked for that begins with this look. It is nil when neither is there.
func Requested(app *v1alpha1.Application) *v1alpha1.Operation {
	if app.Status.OperationState.Runs() && !TakesOver(app) {
		return &app.Status.OperationState.Operation
	}
	return app.Operation
}

// SyncOf is the sync that an operation asks for; one that says nothing of it
// asks for an ordinary one.
func SyncOf(st *v1alpha1.OperationState) *v1alpha1.SyncOperation {
	if st.Operation.Sync == nil {
		return &v1alpha1.SyncOperation{}
	}
	return st.Operation.Sync
}

// Forced reports whether an operation may delete and create again what cannot be changed.
func Forced(op *v1alpha1.SyncOperation) bool {
	s := op.SyncStrategy
	return s != nil && (s.Apply != nil && s.Apply.Force || s.Hook != nil && s.Hook.Force)
}

// StartRequested turns the operation that was asked for into a running one;
// the request is consumed in the same write that makes it visible.
func StartRequested(app *v1alpha1.Application, w Wanted, now time.Time) {
	op := *app.Operation
	app.Operation = nil
	carryPin(&op, app.Status.OperationState)
	app.Status.OperationState = Begin(op, w, After(app, now))
}

// StartAutomated makes the operation of an automated sync. Drift is healed
// by the same operation; attempts counts how often in a row.
func StartAutomated(app *v1alpha1.Application, w Wanted, attempts int64, now time.Time) {
	policy := app.Spec.SyncPolicy
	op := v1alpha1.Operation{
		Sync: &v1alpha1.SyncOperation{
			Prune:                 policy.AutomatedPrune(),
			SyncOptions:           policy.Options(),
			SelfHealAttemptsCount: attempts,
		},
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true},
		Retry:       v1alpha1.RetryStrategy{Limit: DefaultRetries},
	}
	if policy != nil && policy.Retry != nil {
		op.Retry = *policy.Retry
	}
	w.name(&op)
	app.Status.OperationState = Begin(op, w, After(app, now))
}

// name writes the revisions that an automated operation syncs to.
func (w Wanted) name(op *v1alpha1.Operation) {
	if w.Multiple {
		op.Sync.Revisions = w.Revisions
		return
	}
	op.Sync.Revision = First(w.Revisions)
}

// Renew gives an operation that bears the time of a sync that has ended a time
// of its own. Whoever may write an Application may write its status as well; by
// that time the history tells syncs apart, and a seal vouches for one.
func Renew(app *v1alpha1.Application, now time.Time) {
	st := app.Status.OperationState
	if !st.Runs() {
		return
	}
	ended := func(h v1alpha1.RevisionHistory) bool {
		return h.DeployStartedAt != nil && h.DeployStartedAt.Equal(&st.StartedAt)
	}
	if slices.ContainsFunc(app.Status.History, ended) {
		st.StartedAt = v1alpha1.NewTime(After(app, now))
	}
}

// ahead is how far operations that follow each other within seconds may get ahead of the
// clock. A start further ahead is somebody else's word, or of a clock that was wrong: the
// history, which asks what began since, is not to take it for one.
const ahead = 10 * time.Minute

// After is when an operation starts that begins now: in another second than
// the one before it, because operations are told apart by that.
func After(app *v1alpha1.Application, now time.Time) time.Time {
	st := app.Status.OperationState
	if st == nil || st.StartedAt.After(now.Add(ahead)) || !now.Before(st.StartedAt.Add(time.Second)) {
		return now
	}
	return st.StartedAt.Add(time.Second)
}

// Begin is the state of an operation that begins now.
func Begin(op v1alpha1.Operation, w Wanted, now time.Time) *v1alpha1.OperationState {
	return &v1alpha1.OperationState{
		Operation:  op,
		Phase:      v1alpha1.OperationRunning,
		StartedAt:  Seconds(now),
		SyncResult: w.Result(),
	}
}

// Result is what a sync to it results in, before anything is done.
func (w Wanted) Result() *v1alpha1.SyncOperationResult {
	if w.Multiple {
		return &v1alpha1.SyncOperationResult{Sources: w.Sources, Revisions: w.Revisions}
	}
	return &v1alpha1.SyncOperationResult{Source: w.Source(), Revision: First(w.Revisions)}
}

// Source is the first source, which is all that the status of an Application with one shows.
func (w Wanted) Source() v1alpha1.ApplicationSource {
	if len(w.Sources) == 0 {
		return v1alpha1.ApplicationSource{}
	}
	return w.Sources[0]
}

// Attempted reports whether the last sync was at the same revision of the same
// sources: an automated sync tries each of them once.
func (w Wanted) Attempted(last *v1alpha1.SyncOperationResult) bool {
	if last == nil {
		return false
	}
	if w.Multiple {
		return slices.Equal(last.Revisions, w.Revisions) && reflect.DeepEqual(last.Sources, w.Sources)
	}
	return last.Revision == First(w.Revisions) && reflect.DeepEqual(last.Source, w.Source())
}

// LastSync is what the last operation synced to. A dry run synced nothing:
// after one, the history tells what did.
func LastSync(app *v1alpha1.Application) *v1alpha1.SyncOperationResult {
	st := app.Status.OperationState
	if st == nil {
		return nil
	}
	if !SyncOf(st).DryRun {
		return st.SyncResult
	}
	if len(app.Status.History) == 0 {
		return nil
	}
	h := app.Status.History[len(app.Status.History)-1]
	return &v1alpha1.SyncOperationResult{Revision: h.Revision, Revisions: h.Revisions, Source: h.Source, Sources: h.Sources}
}

// First is the first of some texts; empty for none.
func First(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// Ended is when an operation ends that ends now: not before it began, which
// After may have put into the next second.
func Ended(st *v1alpha1.OperationState, now time.Time) v1alpha1.Time {
	return Seconds(Later(st.StartedAt.Time, now))
}

// Later is the later one of two times.
func Later(a, b time.Time) time.Time {
	if b.Before(a) {
		return a
	}
	return b
}

// Earlier is the earlier one of two times.
func Earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Seconds is a time as statuses have it, in whole seconds.
func Seconds(t time.Time) v1alpha1.Time { return v1alpha1.NewTime(t.Truncate(time.Second)) }
