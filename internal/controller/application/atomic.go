package application

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

// waveTime is what a wave of an atomic sync has to get healthy in when the
// application does not say.
const waveTime = 5 * time.Minute

// atomicTime is the time that each wave of an application's syncs has; zero
// when they are not atomic.
func atomicTime(app *v1alpha1.Application) (time.Duration, error) {
	option, _ := app.Spec.SyncPolicy.Options().Value(gitops.OptionAtomic)
	switch app.Annotations[gitops.AnnotationAtomic] {
	case "", "true", "false":
	default:
		return 0, gitops.Problemf(gitops.Invalid, "cannot read the annotation %s %q", gitops.AnnotationAtomic, app.Annotations[gitops.AnnotationAtomic]).
			Do("write true or false")
	}
	if app.Annotations[gitops.AnnotationAtomic] != "true" && option != "true" {
		return 0, nil
	}
	text := app.Annotations[gitops.AnnotationAtomicTimeout]
	if text == "" {
		return waveTime, nil
	}
	limit, err := gitops.ParseDuration("the annotation "+gitops.AnnotationAtomicTimeout, text)
	if err == nil && limit == 0 {
		err = fmt.Errorf("the annotation %s gives the waves no time: %q", gitops.AnnotationAtomicTimeout, text)
	}
	if err != nil {
		return 0, gitops.Problemf(gitops.Invalid, "%w", err).
			Do("write how long each wave may take, such as 5m")
	}
	return limit, nil
}

// gate holds an atomic sync until all is healthy, the last wave too, and ends
// it when a wave has had its time.
func (r *Reconciler) gate(ctx context.Context, out *report.Outcome, t *state.Target, a *state.Attempt, live map[gitops.Key]*gitops.Live, step plan.Step) plan.Step {
	if !t.Atomic() || step.Replan {
		return step
	}
	if step.Done && !step.Failed && len(step.Errors) == 0 {
		again := r.lostSince(ctx, t, a, live)
		if step = unsettled(t, a.Plan, live, step); again {
			step.Replan = true
			return step
		}
	}
	if a.Expired == nil && !step.Done {
		left := t.WaveTime - r.Now().Sub(since(t, a, r.Now()))
		if left > 0 {
			out.Again(left)
			return step
		}
		step = r.expire(ctx, t, a, live, step)
	}
	if step.Done && a.Expired != nil {
		step.Failed, step.Errors = true, append([]error{a.Expired}, step.Errors...)
	}
	return step
}

// unsettled are the objects of a finished sync that are not healthy yet, as far as
// the project permits to know.
func unsettled(t *state.Target, p *gitops.Plan, live map[gitops.Key]*gitops.Live, step plan.Step) plan.Step {
	var unhealthy []gitops.Waiting
	for action, wave := range p.All() {
		if action.Hook || action.Desired == nil || action.Verb == gitops.Skip || action.Options.IgnoreHealth || !t.MayAsk(action) {
			continue
		}
		health := gitops.Health{Code: gitops.Missing, Message: "it is not there"}
		if l := live[action.Key]; l != nil {
			health = l.Health
		}
		if health.Code == gitops.Healthy || health.Code == gitops.Suspended || health.Code == "" {
			continue
		}
		unhealthy = append(unhealthy, gitops.Waiting{Key: action.Key, Phase: wave.Phase, Wave: wave.Number, Health: health})
	}
	if len(unhealthy) == 0 {
		return step
	}
	return plan.Step{Waiting: unhealthy}
}

// since is when the wave that is waited for was first waited for. It stands in
// the operation's info, so that an engine that starts again gives a wave no
// more time than it had.
func since(t *state.Target, a *state.Attempt, now time.Time) time.Time {
	op := &t.App.Status.OperationState.Operation
	wave := fmt.Sprintf("try %d wave %d", a.Retry, a.Progress.Waves)
	for i := range op.Info {
		if op.Info[i].Name != gitops.InfoWave {
			continue
		}
		if name, text, ok := strings.Cut(op.Info[i].Value, " since "); ok && name == wave {
			if at, err := time.Parse(time.RFC3339, text); err == nil {
				return at
			}
		}
		op.Info[i].Value = wave + " since " + now.UTC().Format(time.RFC3339)
		return now
	}
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoWave, Value: wave + " since " + now.UTC().Format(time.RFC3339)})
	return now
}

// expire gives a wave up, and runs the hooks of a failed sync.
func (r *Reconciler) expire(ctx context.Context, t *state.Target, a *state.Attempt, live map[gitops.Key]*gitops.Live, step plan.Step) plan.Step {
	a.Expired = gitops.Problemf(gitops.NotReady, "not healthy within %s: %s", t.WaveTime, opstate.WaitingFor(step))
	a.Progress.Failing, a.Progress.Waves = true, ordinary(a.Plan)
	return r.run(ctx, t, a, live)
}

// ordinary counts the waves that are not for a failed sync.
func ordinary(p *gitops.Plan) int {
	n := 0
	for i := range p.Waves {
		if p.Waves[i].Phase != gitops.SyncFail {
			n = i + 1
		}
	}
	return n
}

// restore begins the rollback of an atomic sync that has failed for good. It
// is an operation of its own: an engine that starts again goes on with it.
func (r *Reconciler) restore(out *report.Outcome, t *state.Target, a *state.Attempt, c *state.Comparison) {
	st := t.App.Status.OperationState
	if !t.Atomic() || st.Succeeded() || a.Expired == nil && st.Runs() {
		return
	}
	if a.Expired != nil {
		at := opstate.Ended(st, r.Now())
		opstate.GiveUp(st, a.Expired.Error())
		st.FinishedAt, st.RetryCount = &at, 0
	}
	last := opstate.LastGood(t.App, st)
	if last == nil {
		st.Message += "; there is no earlier sync to go back to"
		return
	}
	r.journal.Advance(t, nil)
	undone := *st
	t.App.Status.OperationState = opstate.Begin(undo(t, &undone, last, c.Rendering.Digest), opstate.WantedOf(last), opstate.After(t.App, r.Now()))
	r.attempts.End(client.ObjectKeyFromObject(t.App))
	out.Event(corev1.EventTypeWarning, "RollingBack", fmt.Sprintf("Sync to %s failed, rolling back to %s: %s",
		opstate.ShortRevision(undone.SyncResult), opstate.ShortRevision(t.App.Status.OperationState.SyncResult), undone.Message))
	out.Again(time.Millisecond)
}

// undo is the operation that brings an entry back. The hooks of that time are
// not run again: they have done their work.
func undo(t *state.Target, failed *v1alpha1.OperationState, h *v1alpha1.RevisionHistory, digest string) v1alpha1.Operation {
	asked := opstate.SyncOf(failed) // a forged operation may have none
	op := v1alpha1.Operation{
		Sync: &v1alpha1.SyncOperation{
			Prune: true, SyncOptions: asked.SyncOptions, SyncStrategy: &v1alpha1.SyncStrategy{Apply: &v1alpha1.SyncStrategyApply{}},
		},
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true},
		Retry:       v1alpha1.RetryStrategy{Limit: opstate.DefaultRetries},
		Info: []v1alpha1.Info{
			{Name: gitops.InfoRollback, Value: history.ID(string(t.App.UID), h.DeployStartedAt.Time)},
			{Name: gitops.InfoWhere, Value: t.Where().String()},
			{Name: gitops.InfoUndoes, Value: failed.StartedAt.UTC().Format(time.RFC3339)},
			{Name: gitops.InfoFailure, Value: fmt.Sprintf("sync to %s failed: %s", opstate.ShortRevision(failed.SyncResult), failed.Message)},
		},
	}
	if !asked.Prune {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoSince, Value: failed.StartedAt.UTC().Format(time.RFC3339)})
	}
	if h.Sources != nil {
		op.Sync.Sources, op.Sync.Revisions = h.Sources, h.Revisions
	} else {
		source := h.Source
		op.Sync.Source, op.Sync.Revision = &source, h.Revision
	}
	opstate.Pin(&op, digest, opstate.RevisionsOf(failed.SyncResult))
	return op
}

// bringsBack reports whether an automatic rollback runs whose manifests are those of an
// earlier sync, or that ends as these may not be used: windows do not hold it up. One
// from the sources would be as any sync is: what they give may be other by now, and
// anybody who may write the Application writes its status.history, which says where
// to. So would one be at another destination than that of the sync that it undoes, or
// of which that earlier sync was, and one that is over and was written back.
func (r *Reconciler) bringsBack(ctx context.Context, t *state.Target) bool {
	if !opstate.Restoring(t.App) {
		return false
	}
	return t.Unfit != nil || returnsHere(t) && !r.passed(ctx, t.App)
}

// returnsHere reports whether what is brought is what the operation goes back to, and that
// both its sync and the one that is undone were here.
func returnsHere(t *state.Target) bool {
	b, noted := t.Brought, t.App.Status.OperationState.Operation.Info
	if b == nil || b.ID == "" || b.ID != opstate.Info(noted, gitops.InfoRollback) || b.Server != t.Cluster.Desc().Server {
		return false
	}
	return opstate.Info(noted, gitops.InfoWhere) == t.Where().String()
}

// atOnce shapes the plan of an automatic rollback: what was there comes back
// in the order of its waves, but without waiting for the health of each. What
// the failed sync made goes last.
func atOnce(app *v1alpha1.Application, p *gitops.Plan) {
	if !opstate.Restoring(app) || len(p.Waves) == 0 {
		return
	}
	since, limited := time.Time{}, opstate.Info(app.Status.OperationState.Operation.Info, gitops.InfoSince)
	if limited != "" {
		since, _ = time.Parse(time.RFC3339, limited) // written by undo
	}
	all := gitops.Wave{Phase: gitops.Sync}
	offset := 0
	var prunes []gitops.Action
	for _, w := range p.Waves {
		top := 0
		for _, a := range w.Actions {
			if a.Desired == nil {
				prunes = append(prunes, spared(a, since))
				continue
			}
			top = max(top, a.Step)
			a.Step += offset
			all.Actions = append(all.Actions, a)
		}
		offset += top + 1
	}
	for _, a := range prunes {
		a.Step = offset
		all.Actions = append(all.Actions, a)
	}
	p.Waves = []gitops.Wave{all}
}

// spared keeps what was there before the failed sync: where that sync did not
// prune, neither does its rollback.
func spared(a gitops.Action, since time.Time) gitops.Action {
	if a.Verb == gitops.Prune && opstate.Older(a.Live, since) {
		a.Verb, a.Reason = gitops.Skip, "it was there before the sync that is rolled back"
	}
	return a
}

// rolledBackTo begins the message of an automatic rollback that is over.
const rolledBackTo = "rolled back to "

// failureText says of an automated operation that failed which revision did.
// One that went back failed in what it undid.
func failureText(app *v1alpha1.Application) string {
	st := app.Status.OperationState
	because := opstate.Info(st.Operation.Info, gitops.InfoFailure)
	switch {
	case because == "":
		return fmt.Sprintf("Failed last sync attempt to %s: %s", opstate.ShortRevision(st.SyncResult), st.Message)
	case strings.HasPrefix(st.Message, rolledBackTo):
		return "Last sync attempt was r" + st.Message[1:]
	}
	return fmt.Sprintf("Failed to roll back to %s: %s; before that, %s", opstate.ShortRevision(st.SyncResult), st.Message, because)
}

// rolledBack ends an automatic rollback: the application got what it had, but
// not what Git wants, so the operation has not succeeded.
func (r *Reconciler) rolledBack(out *report.Outcome, t *state.Target) bool {
	if !opstate.Restoring(t.App) {
		return false
	}
	st := t.App.Status.OperationState
	message := fmt.Sprintf("%s%s: %s", rolledBackTo, opstate.ShortRevision(st.SyncResult), opstate.Info(st.Operation.Info, gitops.InfoFailure))
	r.finish(out, t, v1alpha1.OperationFailed, message)
	opstate.Record(t.App, r.Now())
	out.Event(corev1.EventTypeWarning, "RolledBack", message)
	return true
}
