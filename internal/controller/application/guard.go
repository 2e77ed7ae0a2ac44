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
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Guard is what the guard of deletions needs.
type Guard struct {
	Ledger   *guard.Ledger
	Settings func() guard.Settings
	// Covers reports whether an engine looks at the Applications of a namespace; by
	// default at all that the cache has.
	Covers func(namespace string) bool
}

// counts reports whether an Application is one of the fleet.
func (g *Guard) counts(app *v1alpha1.Application) bool {
	return app != nil && (g.Covers == nil || g.Covers(app.Namespace))
}

// denied begins the message of an operation whose deletions are held.
const denied = "denied: the sync would delete "

// guarded reports whether nothing of an operation is done now for the sake of its
// deletions. When they are held, an automated one waits for an approval or
// another revision, and one that a person asked for fails; when they were
// approved, it goes on as soon as that is written down.
func (r *Reconciler) guarded(ctx context.Context, out *report.Outcome, t *target, a *attempt) bool {
	if r.Guard == nil || a.cleared || admitted(t, a) {
		return false
	}
	list, why := r.massDeletion(ctx, t, a.plan)
	if why == "" {
		a.cleared = true
		return false
	}
	st := t.App.Status.OperationState
	ok, because := guard.Approves(t.App.Annotations[gitops.AnnotationDeletionApproval], list.Digest(), r.Now())
	if ok {
		r.clear(out, t, a.plan, list)
		return true
	}
	st.Message = deniedText(t.App, list, why, because)
	st.SyncResult.Resources = guardedResults(a.plan, list)
	if !st.Operation.InitiatedBy.Automated {
		r.finish(out, t, v1alpha1.OperationFailed, st.Message)
		return true
	}
	r.attempts.end(client.ObjectKeyFromObject(t.App))
	return true
}

// admitted clears an attempt whose deletions were approved before the engine
// started anew, and reports whether it did: only what was approved may be in it.
func admitted(t *target, a *attempt) bool {
	for _, info := range t.App.Status.OperationState.Operation.Info {
		if info.Name != gitops.InfoCleared {
			continue
		}
		a.cleared = guard.Within(info.Value, doomedAt(t, a.plan))
		return a.cleared
	}
	return false
}

// doomedAt names what a plan deletes, with where that is: an Application may lead
// elsewhere while its sync runs, and there nobody has approved anything.
func doomedAt(t *target, p *gitops.Plan) []string {
	at, all := t.where(), doomed(p)
	out := make([]string, 0, len(all))
	for _, a := range all {
		out = append(out, fmt.Sprintf("%s at %q %q", a.Key, at.Server, at.Namespace))
	}
	return out
}

// clear lets an approved list go. That is written down before anything is
// deleted, and the approval is used up with it.
func (r *Reconciler) clear(out *report.Outcome, t *target, p *gitops.Plan, list guard.List) {
	name := client.ObjectKeyFromObject(t.App)
	op := &t.App.Status.OperationState.Operation
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoCleared, Value: guard.Named(doomedAt(t, p))})
	by := guard.ApprovedBy(t.App.Annotations[gitops.AnnotationDeletionApproval])
	t.App.Status.OperationState.Message = "deletions approved" + by
	delete(t.App.Annotations, gitops.AnnotationDeletionApproval)
	r.Guard.Ledger.Note(guard.OfProject(t.Project.Name), r.childApps(p, list), r.Now())
	r.Guard.Ledger.Release(v1alpha1.ApplicationKind, name.String(), by)
	r.attempts.end(name)
	out.Event(corev1.EventTypeNormal, "DeletionApproved", "Deletion of "+gitops.Count(len(list), "object")+" was approved"+by)
	out.Again(nextStep)
}

// massDeletion lists what a plan deletes, and tells why that is too much; empty when
// it is not. Only what would be held is asked about whether it moves.
func (r *Reconciler) massDeletion(ctx context.Context, t *target, p *gitops.Plan) (list guard.List, why string) {
	list, of := r.deletionsOf(ctx, t, p)
	if why = r.tooMany(ctx, t, p, list, of); why == "" {
		return list, ""
	}
	if rest := r.withoutMoves(ctx, t, p, list); len(rest) < len(list) {
		return rest, r.tooMany(ctx, t, p, rest, of)
	}
	return list, why
}

// tooMany tells why a list is a mass deletion; empty when it is none.
func (r *Reconciler) tooMany(ctx context.Context, t *target, p *gitops.Plan, list guard.List, of int) string {
	if len(list) == 0 {
		return ""
	}
	settings := r.Guard.Settings()
	rule, err := guard.Nearest(settings.Application, t.Project.Annotations[gitops.AnnotationDeletionGuard], t.App.Annotations[gitops.AnnotationDeletionGuard])
	if err != nil {
		r.Log.WarnContext(ctx, "limit of deletions not understood; the next more general one holds", "app", t.App.Name, "error", err)
	}
	if gone := list.Weight(); rule.Holds(gone, of) {
		return fmt.Sprintf("%d of %d by weight, where the limit is %s", gone, of, rule)
	}
	children := r.childApps(p, list)
	if len(children) == 0 || rule.Off {
		return ""
	}
	fleet := slices.DeleteFunc(r.Apps.every(), func(app *v1alpha1.Application) bool { return !r.Guard.counts(app) })
	if ok, gone, of := r.Guard.Ledger.Admit(settings, guard.OfProject(t.Project.Name), children, len(fleet), r.Now()); !ok {
		r.Log.InfoContext(ctx, "deletions are past the limit of the fleet", "app", t.App.Name, "deleted", gone, "of", of)
		return settings.PastFleet()
	}
	return ""
}

// misreadGuard warns of a limit of the Application's own that means nothing.
func (r *Reconciler) misreadGuard(app *v1alpha1.Application) []gitops.Warning {
	text := app.Annotations[gitops.AnnotationDeletionGuard]
	if text == "" || r.Guard == nil {
		return nil
	}
	_, err := guard.Nearest(r.Guard.Settings().Application, "", text)
	if err == nil {
		return nil
	}
	return []gitops.Warning{{
		Reason: v1alpha1.ApplicationConditionIneffectiveOptionWarning, Message: "the Application: " + err.Error() + "; the next more general limit holds",
	}}
}

// deniedText says what is held, why, and what to do. It stays the same as
// long as these do.
func deniedText(app *v1alpha1.Application, list guard.List, why, because string) string {
	text := fmt.Sprintf("%s%s (%s): %s; nothing was changed. If that is meant, approve exactly this list: causeway approve %s", denied, gitops.Count(len(list), "object"), why, list, app.Name)
	text += fmt.Sprintf(" (or the annotation %s: %s;until=TIME)", gitops.AnnotationDeletionApproval, list.Digest())
	if because != "" {
		text += "; " + because
	}
	return text
}

// guardedResults shows each held deletion in the result of the operation.
func guardedResults(p *gitops.Plan, list guard.List) v1alpha1.ResourceResults {
	var out v1alpha1.ResourceResults
	held, digest := make(map[string]bool, len(list)), list.Digest()
	for _, name := range list.Names() {
		held[name] = true
	}
	for _, a := range doomed(p) {
		if !held[a.Key.String()] {
			continue // it moves, or it is what a hook left
		}
		out = append(out, v1alpha1.ResourceResult{
			Group: a.Key.Group, Version: a.Live.Version.Version, Kind: a.Key.Kind, Namespace: a.Key.Namespace, Name: a.Key.Name,
			Status: v1alpha1.ResultCodePruneSkipped, Message: "held until the list " + digest + " is approved", SyncPhase: v1alpha1.SyncPhase(gitops.Sync),
		})
	}
	slices.SortStableFunc(out, byKind)
	return out
}

// showDenied shows held deletions as a condition, an event and a metric, as
// long as the last operation is held by them.
func (r *Reconciler) showDenied(out *report.Outcome, app *v1alpha1.Application) {
	if r.Guard == nil {
		return
	}
	var conditions []v1alpha1.ApplicationCondition
	held := 0
	if st := app.Status.OperationState; st != nil && strings.HasPrefix(st.Message, denied) {
		conditions = append(conditions, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionDeletionHeldError, Message: st.Message})
		if st.SyncResult != nil {
			held = len(st.SyncResult.Resources)
		}
		if !slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
			return c.Type == v1alpha1.ApplicationConditionDeletionHeldError && c.Message == st.Message
		}) {
			out.Event(corev1.EventTypeWarning, "DeletionHeld", st.Message)
		}
	}
	report.SetConditions(app, []string{v1alpha1.ApplicationConditionDeletionHeldError}, conditions, r.Now())
	r.Guard.Ledger.Hold(v1alpha1.ApplicationKind, client.ObjectKeyFromObject(app).String(), held)
}

// forgetGuarded drops what is counted of an Application that is gone.
func (r *Reconciler) forgetGuarded(name types.NamespacedName) {
	if r.Guard != nil {
		r.Guard.Ledger.Hold(v1alpha1.ApplicationKind, name.String(), 0)
	}
}
