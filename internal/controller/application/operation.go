package application

import (
	"reflect"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// wanted is what a sync would deploy: the sources at their resolved revisions.
type wanted struct {
	sources   v1alpha1.ApplicationSources
	revisions []string
	multiple  bool
}

// requested returns the operation whose sources and revisions count: the one
// that runs, which goes on with nothing that is asked for meanwhile, or the one
// asked for that begins with this look. It is nil when neither is there.
func requested(app *v1alpha1.Application) *v1alpha1.Operation {
	if app.Status.OperationState.Runs() && !takesOver(app) {
		return &app.Status.OperationState.Operation
	}
	return app.Operation
}

// syncOf is the sync that an operation asks for; one that says nothing of it
// asks for an ordinary one.
func syncOf(st *v1alpha1.OperationState) *v1alpha1.SyncOperation {
	if st.Operation.Sync == nil {
		return &v1alpha1.SyncOperation{}
	}
	return st.Operation.Sync
}

// forced tells that an operation may delete and create again what cannot be changed.
func forced(op *v1alpha1.SyncOperation) bool {
	s := op.SyncStrategy
	return s != nil && (s.Apply != nil && s.Apply.Force || s.Hook != nil && s.Hook.Force)
}

// startRequested turns the operation that was asked for into a running one;
// the request is consumed in the same write that makes it visible.
func startRequested(app *v1alpha1.Application, w wanted, now time.Time) {
	op := *app.Operation
	app.Operation = nil
	carryPin(&op, app.Status.OperationState)
	app.Status.OperationState = begin(op, w, after(app, now))
}

// startAutomated makes the operation of an automated sync. Drift is healed
// by the same operation; attempts counts how often in a row.
func startAutomated(app *v1alpha1.Application, w wanted, attempts int64, now time.Time) {
	policy := app.Spec.SyncPolicy
	op := v1alpha1.Operation{
		Sync: &v1alpha1.SyncOperation{
			Prune:                 policy.AutomatedPrune(),
			SyncOptions:           policy.Options(),
			SelfHealAttemptsCount: attempts,
		},
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true},
		Retry:       v1alpha1.RetryStrategy{Limit: defaultRetries},
	}
	if policy != nil && policy.Retry != nil {
		op.Retry = *policy.Retry
	}
	w.name(&op)
	app.Status.OperationState = begin(op, w, after(app, now))
}

// name writes the revisions that an automated operation syncs to.
func (w wanted) name(op *v1alpha1.Operation) {
	if w.multiple {
		op.Sync.Revisions = w.revisions
		return
	}
	op.Sync.Revision = first(w.revisions)
}

// renew gives an operation that bears the time of a sync that has ended a time
// of its own. Whoever may write an Application may write its status as well; by
// that time the history tells syncs apart, and a seal vouches for one.
func renew(app *v1alpha1.Application, now time.Time) {
	st := app.Status.OperationState
	if !st.Runs() {
		return
	}
	ended := func(h v1alpha1.RevisionHistory) bool {
		return h.DeployStartedAt != nil && h.DeployStartedAt.Equal(&st.StartedAt)
	}
	if slices.ContainsFunc(app.Status.History, ended) {
		st.StartedAt = v1alpha1.NewTime(after(app, now))
	}
}

// ahead is how far operations that follow each other within seconds may get ahead of the
// clock. A start further ahead is somebody else's word, or of a clock that was wrong: the
// history, which asks what began since, is not to take it for one.
const ahead = 10 * time.Minute

// after is when an operation starts that begins now: in another second than
// the one before it, because operations are told apart by that.
func after(app *v1alpha1.Application, now time.Time) time.Time {
	st := app.Status.OperationState
	if st == nil || st.StartedAt.After(now.Add(ahead)) || !now.Before(st.StartedAt.Add(time.Second)) {
		return now
	}
	return st.StartedAt.Add(time.Second)
}

func begin(op v1alpha1.Operation, w wanted, now time.Time) *v1alpha1.OperationState {
	return &v1alpha1.OperationState{
		Operation:  op,
		Phase:      v1alpha1.OperationRunning,
		StartedAt:  seconds(now),
		SyncResult: w.result(),
	}
}

func (w wanted) result() *v1alpha1.SyncOperationResult {
	if w.multiple {
		return &v1alpha1.SyncOperationResult{Sources: w.sources, Revisions: w.revisions}
	}
	return &v1alpha1.SyncOperationResult{Source: w.source(), Revision: first(w.revisions)}
}

func (w wanted) source() v1alpha1.ApplicationSource {
	if len(w.sources) == 0 {
		return v1alpha1.ApplicationSource{}
	}
	return w.sources[0]
}

// attempted reports whether the last sync was at the same revision of the same
// sources: an automated sync tries each of them once.
func (w wanted) attempted(last *v1alpha1.SyncOperationResult) bool {
	if last == nil {
		return false
	}
	if w.multiple {
		return slices.Equal(last.Revisions, w.revisions) && reflect.DeepEqual(last.Sources, w.sources)
	}
	return last.Revision == first(w.revisions) && reflect.DeepEqual(last.Source, w.source())
}

// lastSync is what the last operation synced to. A dry run synced nothing:
// after one, the history tells what did.
func lastSync(app *v1alpha1.Application) *v1alpha1.SyncOperationResult {
	st := app.Status.OperationState
	if st == nil {
		return nil
	}
	if !syncOf(st).DryRun {
		return st.SyncResult
	}
	if len(app.Status.History) == 0 {
		return nil
	}
	h := app.Status.History[len(app.Status.History)-1]
	return &v1alpha1.SyncOperationResult{Revision: h.Revision, Revisions: h.Revisions, Source: h.Source, Sources: h.Sources}
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// ended is when an operation ends that ends now: not before it began, which
// after may have put into the next second.
func ended(st *v1alpha1.OperationState, now time.Time) v1alpha1.Time {
	return seconds(later(st.StartedAt.Time, now))
}

func later(a, b time.Time) time.Time {
	if b.Before(a) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func seconds(t time.Time) v1alpha1.Time { return v1alpha1.NewTime(t.Truncate(time.Second)) }
