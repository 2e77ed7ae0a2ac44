package application

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/massdeletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/report"
)

// denied begins the message of an operation whose deletions are held.
const denied = "denied: the sync would delete "

// guarded reports whether nothing of an operation is done now for the sake of its
// deletions. When they are held, an automated one waits for an approval or
// another revision, and one that a person asked for fails; when they were
// approved, it goes on as soon as that is written down.
func (r *Reconciler) guarded(ctx context.Context, out *report.Outcome, t *state.Target, a *state.Attempt) bool {
	if r.Guard == nil || a.Cleared || admitted(t, a) {
		return false
	}
	list, why := r.losses().Judge(ctx, t, a.Plan)
	if why == "" {
		a.Cleared = true
		return false
	}
	st := t.App.Status.OperationState
	ok, because := guard.Approves(t.App.Annotations[gitops.AnnotationDeletionApproval], list.Digest(), r.Now())
	if ok {
		r.clear(out, t, a.Plan, list)
		return true
	}
	st.Message = deniedText(opstate.Called(t.App, r.Namespace), list, why, because)
	st.SyncResult.Resources = massdeletion.Results(a.Plan, list)
	if !st.Operation.InitiatedBy.Automated {
		r.finish(out, t, v1alpha1.OperationFailed, st.Message)
		return true
	}
	r.attempts.End(client.ObjectKeyFromObject(t.App))
	return true
}

// admitted clears an attempt whose deletions were approved before the engine
// started anew, and reports whether it did: only what was approved may be in it.
func admitted(t *state.Target, a *state.Attempt) bool {
	for _, info := range t.App.Status.OperationState.Operation.Info {
		if info.Name != gitops.InfoCleared {
			continue
		}
		a.Cleared = guard.Within(info.Value, massdeletion.DoomedAt(t, a.Plan))
		return a.Cleared
	}
	return false
}

// clear lets an approved list go. That is written down before anything is
// deleted, and the approval is used up with it.
func (r *Reconciler) clear(out *report.Outcome, t *state.Target, p *gitops.Plan, list guard.List) {
	name := client.ObjectKeyFromObject(t.App)
	op := &t.App.Status.OperationState.Operation
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoCleared, Value: guard.Named(massdeletion.DoomedAt(t, p))})
	by := guard.ApprovedBy(t.App.Annotations[gitops.AnnotationDeletionApproval])
	t.App.Status.OperationState.Message = "deletions approved" + by
	delete(t.App.Annotations, gitops.AnnotationDeletionApproval)
	r.Guard.Ledger.Note(guard.OfProject(t.Project.Name), r.losses().ChildApps(p, list), r.Now())
	r.Guard.Ledger.Release(v1alpha1.ApplicationKind, name.String(), by)
	r.attempts.End(name)
	out.Event(corev1.EventTypeNormal, "DeletionApproved", "Deletion of "+gitops.Count(len(list), "object")+" was approved"+by)
	out.Again(deletion.NextStep)
}

// deniedText says what is held, why, and what to do. It stays the same as
// long as these do.
func deniedText(name string, list guard.List, why, because string) string {
	text := fmt.Sprintf("%s%s (%s): %s; nothing was changed. If that is meant, approve exactly this list: causeway approve %s", denied, gitops.Count(len(list), "object"), why, list, name)
	text += fmt.Sprintf(" (or the annotation %s: %s;until=TIME)", gitops.AnnotationDeletionApproval, list.Digest())
	if because != "" {
		text += "; " + because
	}
	return text
}

// showDenied shows held deletions as a condition, an event and a metric, as
// long as the last operation is held by them.
func (r *Reconciler) showDenied(out *report.Outcome, app *v1alpha1.Application) {
	if r.Guard == nil {
		return
	}
	var conditions []v1alpha1.ApplicationCondition
	guarded := 0
	if st := app.Status.OperationState; st != nil && strings.HasPrefix(st.Message, denied) {
		conditions = append(conditions, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionDeletionHeldError, Message: st.Message})
		if st.SyncResult != nil {
			guarded = len(st.SyncResult.Resources)
		}
		if !slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
			return c.Type == v1alpha1.ApplicationConditionDeletionHeldError && c.Message == st.Message
		}) {
			out.Event(corev1.EventTypeWarning, "DeletionHeld", st.Message)
		}
	}
	report.SetConditions(app, []string{v1alpha1.ApplicationConditionDeletionHeldError}, conditions, r.Now())
	r.Guard.Ledger.Hold(v1alpha1.ApplicationKind, client.ObjectKeyFromObject(app).String(), guarded)
}

// forgetGuarded drops what is counted of an Application that is gone.
func (r *Reconciler) forgetGuarded(name types.NamespacedName) {
	if r.Guard != nil {
		r.Guard.Ledger.Hold(v1alpha1.ApplicationKind, name.String(), 0)
	}
}

func (r *Reconciler) losses() *massdeletion.Keeper {
	return &massdeletion.Keeper{Guard: r.Guard, Apps: r.Apps, Apply: r.Apply, Log: r.Log, Now: r.Now}
}
