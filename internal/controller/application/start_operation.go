package application

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/journal"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// decide starts an operation if one is due, and reports whether one runs.
func (r *Reconciler) decide(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) (runs bool, err error) {
	if err := r.startDue(ctx, out, t, c); err != nil {
		return false, err
	}
	return t.App.Status.OperationState.Runs(), nil
}

// startDue starts the operation that is due: one that was asked for, or an
// automated one. What starts an automated one is a new revision or source; at
// a revision that was synced before, only self-healing does.
func (r *Reconciler) startDue(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) error {
	app, now := t.App, r.Now()
	switch {
	case app.Status.OperationState.Runs():
		over, ran := opstate.TakesOver(app), app.Status.OperationState // the target is that of the request then
		r.supersede(t, c, now)
		if over && opstate.TakesOver(app) {
			r.takeOver(t, c, ran, now)
		}
		return nil
	case app.Operation != nil:
		opstate.StartRequested(app, c.Of(*app.Operation), now)
		return nil
	case !app.Spec.SyncPolicy.IsAutomated():
		return r.healAsked(ctx, out, t, c)
	case !r.windowOpen(ctx, out, t):
		return r.confirm(ctx, t, c.Plan)
	case pinned(app, c):
		return r.confirm(ctx, t, c.Plan)
	case !c.Attempted(opstate.LastSync(app)) || t.Lifted(c.Plan) || nowServed(t):
		if err := r.recall(ctx, t, c.Plan); err != nil {
			return err
		}
		startNew(t, c, now)
		return nil
	}
	return r.heal(ctx, out, t, c)
}

// recall asks the cluster whether objects are as desired of which an engine that
// has just started does not know it. A new revision that changes none of them
// needs no sync: it would tell that this revision brought them.
func (r *Reconciler) recall(ctx context.Context, t *state.Target, p *gitops.Plan) error {
	if t.App.Status.OperationState.Succeeded() && r.unknown(t, p) {
		return r.confirm(ctx, t, p)
	}
	return nil
}

// unknown reports whether a plan would change nothing but objects that were never
// compared by this engine, and that the cluster may be asked about them.
func (r *Reconciler) unknown(t *state.Target, p *gitops.Plan) bool {
	if t.Refusal != nil {
		return false
	}
	server := t.Cluster.Desc().Server
	for action := range p.All() {
		if action.Hook || action.Namespace || action.Sync == gitops.Synced {
			continue
		}
		if !action.Suspect || r.Memo.Has(server, action.Key) {
			return false
		}
	}
	return true
}

// startNew starts the automated sync of a revision that has not been tried,
// if there is something to do that it may do.
func startNew(t *state.Target, c *state.Comparison, now time.Time) {
	policy := t.App.Spec.SyncPolicy
	switch {
	case c.Plan.Sync == gitops.Synced:
	case !policy.AutomatedPrune() && plan.PrunesOnly(c.Plan):
	case plan.PrunesAll(c.Plan, policy):
		c.Withheld = "all objects of the application would be deleted: check the source's path and revision, or set spec.syncPolicy.automated.allowEmpty"
	default:
		opstate.StartAutomated(t.App, c.Wanted, 0, now)
	}
}

// supersede lets a new revision take the place of the one that an automated
// operation is busy with: a fix that is pushed must not wait for the fault.
func (r *Reconciler) supersede(t *state.Target, c *state.Comparison, now time.Time) {
	st := t.App.Status.OperationState
	if t.App.DeletionTimestamp.IsZero() && t.App.Spec.SyncPolicy.IsAutomated() && yields(t.App, c) {
		former := r.journal.Open(t)
		startNew(t, c, now)
		if t.App.Status.OperationState != st {
			r.journal.Superseded(former, c.Result())
		}
	}
}

// takeOver begins what is asked for in place of what ran, which the history would say to
// run for ever. One that has only just begun it knows nothing of.
func (r *Reconciler) takeOver(t *state.Target, c *state.Comparison, ran *v1alpha1.OperationState, now time.Time) {
	var former *journal.Trail
	if t.App.Status.OperationState == ran {
		former = r.journal.Open(t)
	}
	opstate.StartRequested(t.App, c.Of(*t.App.Operation), now)
	r.journal.Superseded(former, t.App.Status.OperationState.SyncResult)
}

// yields reports whether the operation that runs gives way to what the sources say
// now. A rollback does only while its deletions are held, and to something else
// than what it undoes: it would wait for an approval that nobody means to give.
func yields(app *v1alpha1.Application, c *state.Comparison) bool {
	st := app.Status.OperationState
	if !st.Proceeds() || !st.Operation.InitiatedBy.Automated {
		return false
	}
	if opstate.Restoring(app) {
		return strings.HasPrefix(st.Message, denied) && !pinned(app, c)
	}
	return !c.Attempted(st.SyncResult)
}

// heal undoes drift at a revision that was synced before. A revision whose
// sync failed is not tried again by itself.
func (r *Reconciler) heal(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) error {
	if err := r.confirm(ctx, t, c.Plan); err != nil {
		return err
	}
	app, now := t.App, r.Now()
	st := app.Status.OperationState
	if c.Plan.Sync == gitops.Synced || !st.Succeeded() || plan.PrunesAll(c.Plan, app.Spec.SyncPolicy) {
		return nil
	}
	selfHeal := app.Spec.SyncPolicy.AutomatedSelfHeal()
	var drifted []v1alpha1.SyncOperationResource
	for action := range c.Plan.All() {
		if action.Sync == gitops.Synced || action.Hook || action.Namespace || action.Verb == gitops.Skip || !heals(action, selfHeal) {
			continue
		}
		if pause := r.attempts.Heal(client.ObjectKeyFromObject(app), action.Key, now); pause > 0 {
			out.Again(pause)
			continue
		}
		k := action.Key
		if text := compare.Drifted(action.Deviations, action.Untold); text != "" {
			out.Event(corev1.EventTypeNormal, "DriftHealed", k.String()+" "+text)
		}
		drifted = append(drifted, v1alpha1.SyncOperationResource{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name})
	}
	if len(drifted) == 0 {
		return nil
	}
	opstate.StartAutomated(app, c.Wanted, opstate.SyncOf(st).SelfHealAttemptsCount+1, now)
	app.Status.OperationState.Operation.Sync.Resources = drifted
	return nil
}

// healAsked compares an application that is synced by hand. Drift of what a
// policy heals is undone all the same, at a revision that was synced before.
func (r *Reconciler) healAsked(ctx context.Context, out *report.Outcome, t *state.Target, c *state.Comparison) error {
	if err := r.confirm(ctx, t, c.Plan); err != nil || !asksToHeal(c.Plan) || !c.Attempted(opstate.LastSync(t.App)) || pinned(t.App, c) || !r.windowOpen(ctx, out, t) {
		return err
	}
	return r.heal(ctx, out, t, c)
}

// windowOpen reports whether the project's sync windows let the sync run that
// is due now. One that was asked for by hand waits until they do.
func (r *Reconciler) windowOpen(ctx context.Context, out *report.Outcome, t *state.Target) bool {
	if len(t.Project.Spec.SyncWindows) == 0 || r.bringsBack(ctx, t) {
		return true
	}
	now := r.Now() // one time for all: a window may open meanwhile
	err := closed(t, now, time.Time{})
	st := t.App.Status.OperationState
	if err != nil && st.Runs() {
		if _, began := operation.Began(&st.Operation); !began.IsZero() && !r.passed(ctx, t.App) {
			err = closed(t, now, began)
		}
	}
	if err == nil {
		return true
	}
	if next := policy.NextChange(t.Project, t.App, now); !next.IsZero() {
		out.Again(next.Sub(now))
	}
	if st.Runs() {
		st.Message = err.Error()
	}
	return false
}

// closed tells why the windows hold up what is due now: the operation that runs, as far
// as it began at a time, or an automated one.
func closed(t *state.Target, now, began time.Time) error {
	windows, err := policy.At(t.Project, t.App, now, began)
	if err != nil {
		return err
	}
	if st := t.App.Status.OperationState; st.Runs() && !st.Operation.InitiatedBy.Automated {
		return windows.Manual
	}
	return windows.Auto
}
