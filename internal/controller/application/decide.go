package application

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// decide starts an operation if one is due: one that was asked for, or an
// automated one. What starts an automated one is a new revision or source; at
// a revision that was synced before, only self-healing does.
func (r *Reconciler) decide(ctx context.Context, out *report.Outcome, t *target, c *comparison) error {
	app, now := t.app, r.Now()
	switch {
	case running(app):
		r.supersede(t, c, now)
		return nil
	case app.Operation != nil:
		startRequested(app, c.wanted, now)
		return nil
	case !app.Spec.SyncPolicy.IsAutomated():
		return r.confirm(ctx, t, c.plan)
	case !r.windowOpen(out, t):
		return r.confirm(ctx, t, c.plan)
	case !c.attempted(lastSync(app)):
		if c.plan.Sync != gitops.Synced {
			startAutomated(app, c.wanted, 0, now)
		}
		return nil
	}
	return r.heal(ctx, out, t, c)
}

// supersede lets a new revision take the place of the one that an automated
// operation is busy with: a fix that is pushed must not wait for the fault.
func (r *Reconciler) supersede(t *target, c *comparison, now time.Time) {
	st := t.app.Status.OperationState
	if st.Operation.InitiatedBy.Automated && !c.attempted(st.SyncResult) && t.app.Spec.SyncPolicy.IsAutomated() {
		startAutomated(t.app, c.wanted, 0, now)
	}
}

// heal undoes drift at a revision that was synced before. A revision whose
// sync failed is not tried again by itself.
func (r *Reconciler) heal(ctx context.Context, out *report.Outcome, t *target, c *comparison) error {
	if err := r.confirm(ctx, t, c.plan); err != nil {
		return err
	}
	app, now := t.app, r.Now()
	st := app.Status.OperationState
	if c.plan.Sync == gitops.Synced || !st.Phase.Successful() || !app.Spec.SyncPolicy.AutomatedSelfHeal() {
		return nil
	}
	var drifted []v1alpha1.SyncOperationResource
	for action := range actions(c.plan) {
		if action.Sync == gitops.Synced || action.Hook || action.Namespace || action.Desired == nil || action.Verb == gitops.Skip {
			continue
		}
		if pause := r.attempts.heal(client.ObjectKeyFromObject(app), action.Key, now); pause > 0 {
			out.Again(pause)
			continue
		}
		k := action.Key
		drifted = append(drifted, v1alpha1.SyncOperationResource{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name})
	}
	if len(drifted) == 0 {
		return nil
	}
	startAutomated(app, c.wanted, syncOf(st).SelfHealAttemptsCount+1, now)
	app.Status.OperationState.Operation.Sync.Resources = drifted
	return nil
}

// windowPause is how soon a closed sync window is looked at again: windows
// open on whole minutes.
const windowPause = time.Minute

// windowOpen tells whether the project's sync windows let the sync run that
// is due now. One that was asked for by hand waits until they do.
func (r *Reconciler) windowOpen(out *report.Outcome, t *target) bool {
	if len(t.project.Spec.SyncWindows) == 0 {
		return true
	}
	var started time.Time
	st, automated := t.app.Status.OperationState, true
	if running(t.app) {
		started, automated = st.StartedAt.Time, st.Operation.InitiatedBy.Automated
	}
	windows, err := policy.At(t.project, t.app, r.Now(), started)
	if err == nil {
		err = windows.Manual
		if automated {
			err = windows.Auto
		}
	}
	if err == nil {
		return true
	}
	out.Again(windowPause)
	if running(t.app) {
		st.Message = err.Error()
	}
	return false
}
