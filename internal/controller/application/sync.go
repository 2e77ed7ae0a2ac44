package application

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

// Applier carries out waves.
type Applier interface {
	Wave(ctx context.Context, c apply.Cluster, w gitops.Wave) []gitops.Result
	// Confirm settles by a dry run whether an object that may differ does.
	Confirm(ctx context.Context, c apply.Cluster, a gitops.Action) (gitops.Action, error)
	// Predict asks the API server what it would make of an object.
	Predict(ctx context.Context, c apply.Cluster, a gitops.Action) (live, predicted *unstructured.Unstructured, err error)
	// Release takes a finalizer from an object; nil when the object is gone.
	Release(ctx context.Context, c apply.Cluster, live *gitops.Live, finalizer string) (*gitops.Live, error)
}

// tryAgain is the pause before a wave is sent again that lacked something,
// such as a kind whose definition has just been applied.
const tryAgain = time.Second

// operate carries the operation on, if one runs, as far as it can go now. It reports
// whether one did.
func (r *Reconciler) operate(ctx context.Context, v *visit, c *state.Comparison, runs bool) (ran bool, err error) {
	if !runs {
		return false, nil
	}
	if tr := r.journal.Open(v.target); tr != nil {
		v.out.Join(func(ctx context.Context) context.Context { return telemetry.Join(ctx, tr.Sync.ID) })
	}
	return true, r.goOn(ctx, v.out, v.target, c)
}

// goOn goes on with the running operation.
func (r *Reconciler) goOn(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) error {
	st, now := t.App.Status.OperationState, r.Now()
	if st.Terminating() {
		r.terminate(ctx, out, t, c)
		return nil
	}
	if pause := opstate.UntilRetry(st, now); pause > 0 && !mended(st, c.Plan) {
		out.Again(pause)
		return nil
	}
	if !r.windowOpen(ctx, out, t) {
		return nil
	}
	if r.depends(ctx, out, t, c) {
		return nil
	}
	if err := refuseBrought(t); err != nil {
		r.finish(out, t, v1alpha1.OperationFailed, err.Error())
		return nil
	}
	if err := r.refuseReturn(ctx, t); err != nil {
		return r.unreadable(out, t, err)
	}
	opstate.Again(st)
	whole := t
	c, t, err := r.ownTarget(ctx, t, c)
	if err != nil {
		return r.unreadable(out, whole, err)
	}
	if !r.mayBring(ctx, out, t, c) || r.unmatched(out, t, c) {
		return nil
	}
	a, err := r.attempt(ctx, t, c)
	if err != nil {
		return err
	}
	defer a.LetGo()
	if r.refused(out, t, a) {
		return nil
	}
	if opstate.SyncOf(st).DryRun {
		return r.rehearse(ctx, out, t, a)
	}
	if r.guarded(ctx, out, t, a) {
		return nil
	}
	if err := r.recordStart(out, t, a.Plan); err != nil {
		return err
	}
	step := r.gate(ctx, out, t, a, c.Live, r.run(ctx, t, a, c.Live))
	st.SyncResult.Resources = state.Results(a, t.App.Spec.Destination.Namespace)
	r.conclude(ctx, out, t, a, step)
	r.restore(out, t, a, c)
	return nil
}

// refused ends an operation, or lets it wait for a person, whose plan must not
// be carried out. It reports whether it did.
func (r *Reconciler) refused(out *report.Outcome, t *state.Target, a *state.Attempt) bool {
	st := t.App.Status.OperationState
	if phase, text := t.Refuse(a.Plan); phase != "" {
		r.finish(out, t, phase, text)
		return true
	}
	if r.faulty(out, t, a.Plan) {
		return true
	}
	err := plan.Refuse(a.Plan, t.App.Spec.SyncPolicy, st.Operation.InitiatedBy.Automated && a.Whole)
	switch {
	case err == nil:
		return false
	case report.Classify(err) == report.Waiting:
		r.attempts.End(client.ObjectKeyFromObject(t.App))
		st.Message = err.Error() // until a person confirms
	default:
		r.finish(out, t, v1alpha1.OperationFailed, err.Error())
	}
	return true
}

// attempt returns the try that is under way, or begins one.
func (r *Reconciler) attempt(ctx context.Context, t *state.Target, c *state.Comparison) (*state.Attempt, error) {
	name, st := client.ObjectKeyFromObject(t.App), t.App.Status.OperationState
	if a := r.attempts.Get(name); a.Is(st, c.Rendering.Digest, t.Where()) {
		err := a.TakeUp(c)
		if err == nil {
			if st.SyncResult == nil { // somebody took it away
				st.SyncResult = c.Result()
			}
			return a, nil
		}
		r.attempts.End(name)
		r.Log.WarnContext(ctx, "sync is planned again, as after a start", "app", t.App.Name, "error", err)
	}
	in := r.input(ctx, t, c)
	op := opstate.SyncOf(st)
	in.Prune = op.Prune
	in.Only = only(op.Resources)
	in.Hooks = in.Only == nil && (op.SyncStrategy == nil || op.SyncStrategy.Apply == nil)
	in.Heal = op.SelfHealAttemptsCount > 0
	in.Revision, in.Started = cmp.Or(opstate.First(c.Revisions), "local"), st.StartedAt.Time
	in.Ran = opstate.Ran(st)
	in.Force = opstate.Forced(op)
	p, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	if err := r.narrow(ctx, t, p); err != nil {
		return nil, err
	}
	if err := r.foresee(ctx, t, p); err != nil {
		return nil, err
	}
	if err := r.losses().Unowned(ctx, t, p); err != nil {
		return nil, err
	}
	atOnce(t.App, p)
	r.journal.Planned(t, c)
	st.SyncResult = c.Result()
	a := &state.Attempt{
		Started: st.StartedAt.Time, Retry: st.RetryCount, Digest: c.Rendering.Digest, Where: t.Where(),
		Plan: p, Basis: in.Basis(), Whole: in.Only == nil,
	}
	r.attempts.Put(name, a)
	return a, nil
}

// run applies wave after wave until the sync is over or has to wait. live is
// what was read before; it takes up the outcomes.
func (r *Reconciler) run(ctx context.Context, t *state.Target, a *state.Attempt, live map[gitops.Key]*gitops.Live) plan.Step {
	for {
		r.findLost(ctx, t, a, live)
		step := plan.Next(a.Plan, &a.Progress, r.children(ctx, t, live))
		r.letGo(ctx, t, &a.Progress)
		if unmet, ok := r.waveDepends(ctx, t, a, step); ok {
			return unmet
		}
		if step.Wave == nil || ctx.Err() != nil || (step.Again && r.Now().Before(a.Again)) {
			return step
		}
		started := r.Now()
		outcome := r.wave(ctx, t, *step.Wave)
		r.journal.Waved(t, step.Wave, started, outcome)
		r.tellSynced(t, deletion.MadeAnew, unpruned(outcome))
		r.Memo.Pass(t.Cluster.Desc().Server, outcome)
		for i := range outcome {
			if l := outcome[i].Live; l != nil {
				live[l.Key] = l
				t.Cluster.Put(l)
			}
		}
		a.Progress.Advance(step, outcome)
		a.Again = r.Now().Add(tryAgain)
	}
}

// conclude turns where the sync stands into the operation's state.
func (r *Reconciler) conclude(ctx context.Context, out *report.Outcome, t *state.Target, a *state.Attempt, step plan.Step) {
	st := t.App.Status.OperationState
	switch {
	case step.Replan:
		r.attempts.End(client.ObjectKeyFromObject(t.App))
		st.Message = opstate.WaitingFor(step)
		out.Again(tryAgain)
	case !step.Done:
		st.Message = opstate.WaitingFor(step)
		if step.Again {
			out.Again(tryAgain)
		}
	case step.Failed || len(step.Errors) > 0:
		r.clean(ctx, t, a, plan.HookFailed)
		r.attempts.End(client.ObjectKeyFromObject(t.App))
		opstate.Fail(st, opstate.Failure(step), r.Now())
		noteUnserved(st, a)
		out.Event(corev1.EventTypeWarning, "SyncFailed", st.Message)
		if pause := opstate.UntilRetry(st, r.Now()); pause > 0 && st.Runs() {
			out.Again(pause)
		}
	default:
		if err := r.cleanRecorded(ctx, out, t, a); err != nil {
			st.Message = "waiting to record the sync before its hooks are deleted"
			out.Again(tryAgain)
			return
		}
		if r.rolledBack(out, t) {
			return
		}
		r.finish(out, t, v1alpha1.OperationSucceeded, "successfully synced (all tasks run)"+remarks(t))
		if a.Whole && !t.IsLocal() {
			opstate.Record(t.App, r.Now())
		}
	}
}

// clean deletes the hooks with a delete policy.
func (r *Reconciler) clean(ctx context.Context, t *state.Target, a *state.Attempt, policy plan.DeletePolicy) {
	leftovers := plan.Leftovers(a.Plan, &a.Progress, policy)
	if len(leftovers) == 0 {
		return
	}
	outcome := r.wave(ctx, t, gitops.Wave{Phase: gitops.PostSync, Actions: leftovers})
	r.tellSynced(t, deletion.HasRun, outcome)
	for _, result := range outcome {
		if result.Err != nil {
			r.Log.WarnContext(ctx, "hook not deleted", "app", t.App.Name, "object", result.Key.String(), "error", result.Err)
		}
	}
}

func (r *Reconciler) finish(out *report.Outcome, t *state.Target, phase v1alpha1.OperationPhase, message string) {
	st := t.App.Status.OperationState
	at := opstate.Ended(st, r.Now())
	r.attempts.End(client.ObjectKeyFromObject(t.App))
	opstate.DropManifests(st)
	st.Phase, st.Message, st.FinishedAt = phase, message, &at
	if phase == v1alpha1.OperationSucceeded {
		// Nobody waits for an automated one, and its status says the same: of a fleet, that would be a write for each application and commit.
		if !st.Operation.InitiatedBy.Automated {
			out.Event(corev1.EventTypeNormal, "OperationCompleted", fmt.Sprintf("Sync to %s succeeded", opstate.ShortRevision(st.SyncResult)))
		}
		return
	}
	out.Event(corev1.EventTypeWarning, "OperationCompleted", "Sync failed: "+message)
}

// showFailure keeps a failed automated sync visible as a condition until
// another one succeeds, or nothing is left to sync.
func (r *Reconciler) showFailure(app *v1alpha1.Application, c *state.Comparison) {
	var conditions []v1alpha1.ApplicationCondition
	st := app.Status.OperationState
	if c.Withheld != "" {
		conditions = append(conditions, v1alpha1.ApplicationCondition{
			Type: v1alpha1.ApplicationConditionSyncError, Message: fmt.Sprintf("No sync to %s: %s", opstate.ShortRevision(c.Result()), c.Withheld),
		})
	} else if app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync && st.Failed() && st.Operation.InitiatedBy.Automated {
		conditions = append(conditions, v1alpha1.ApplicationCondition{
			Type: v1alpha1.ApplicationConditionSyncError, Message: failureText(app),
		})
	}
	report.SetConditions(app, []string{v1alpha1.ApplicationConditionSyncError}, conditions, r.Now())
}
