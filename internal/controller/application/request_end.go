package application

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/report"
)

// unreadable ends a try whose own sources cannot be read or rendered, such as
// a revision that is not there: the application itself is not at fault, and
// compares as before. What may pass by itself is waited for.
//
// The revision of a roll-out that went with a force-push is not tried again:
// the newest one is at the first step by now.
func (r *Reconciler) unreadable(out *report.Outcome, t *state.Target, err error) error {
	st := t.App.Status.OperationState
	switch class := report.Classify(err); {
	case class != report.Terminal && class != report.Denied:
		st.Message = "waiting to read what the operation names: " + err.Error()
		return err
	case opstate.RollsOut(st.Operation):
		r.finish(out, t, v1alpha1.OperationFailed, err.Error())
		return nil
	case st.Operation.InitiatedBy.Automated:
		return err // the application's own sources: its condition tells
	}
	r.attempts.End(client.ObjectKeyFromObject(t.App))
	if opstate.Fail(st, err.Error(), r.Now()); st.Ended() {
		r.finish(out, t, v1alpha1.OperationError, st.Message)
		return nil
	}
	out.Event(corev1.EventTypeWarning, "SyncFailed", st.Message)
	out.Again(opstate.UntilRetry(st, r.Now()))
	return nil
}

// endRequest ends an operation that was asked for and that cannot begin,
// because the application itself cannot be read as it is: nobody would wait
// for that without a word.
func (r *Reconciler) endRequest(out *report.Outcome, app *v1alpha1.Application, err error) {
	class := report.Classify(err)
	if app.Operation == nil || opstate.RollsOut(*app.Operation) || app.Status.OperationState.Runs() || !app.DeletionTimestamp.IsZero() || class != report.Terminal && class != report.Denied {
		return
	}
	opstate.StartRequested(app, opstate.Wanted{Sources: app.Spec.GetSources(), Multiple: app.Spec.HasMultipleSources()}, r.Now())
	r.finish(out, &state.Target{Subject: state.Subject{App: app}}, v1alpha1.OperationError, err.Error())
}

// endTerminated ends an operation that somebody terminated, where the
// application cannot be read as it is and nothing is to be undone: whoever
// terminates it may do so because of that. A hook that runs is deleted once the
// cluster can be read again.
func (r *Reconciler) endTerminated(out *report.Outcome, app *v1alpha1.Application, err error) {
	if err == nil || !app.Status.OperationState.Terminating() {
		return
	}
	if hookRuns(app) {
		app.Status.OperationState.Message = "waiting to delete the hook that runs: " + err.Error()
		return
	}
	r.finish(out, &state.Target{Subject: state.Subject{App: app}}, v1alpha1.OperationFailed, textTerminated)
}

// unmatched ends an operation of some objects when the application has none
// of them. It reports whether it did.
func (r *Reconciler) unmatched(out *report.Outcome, t *state.Target, c *state.Comparison) bool {
	st := t.App.Status.OperationState
	op := opstate.SyncOf(st)
	if len(op.Resources) == 0 || st.Operation.InitiatedBy.Automated {
		return false
	}
	lost := strangers(op, c.Plan)
	t.Lost = strangerTexts(lost, c.Plan)
	if len(lost) < len(op.Resources) {
		return false
	}
	r.finish(out, t, v1alpha1.OperationFailed, "nothing to sync: "+strings.Join(t.Lost, "; "))
	return true
}

// strangers are the objects that an operation names and the application has not.
func strangers(op *v1alpha1.SyncOperation, p *gitops.Plan) []v1alpha1.SyncOperationResource {
	there := map[gitops.Key]bool{}
	for action := range p.All() {
		k := action.Key
		there[k], there[gitops.Key{Group: k.Group, Kind: k.Kind, Name: k.Name}] = true, true
	}
	return slices.DeleteFunc(slices.Clone(op.Resources), func(s v1alpha1.SyncOperationResource) bool {
		return there[gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}]
	})
}

// maxStrangers bounds how many unknown objects a message names.
const maxStrangers = 3

func strangerTexts(lost []v1alpha1.SyncOperationResource, p *gitops.Plan) []string {
	if len(lost) == 0 {
		return nil
	}
	var known []string
	for action := range p.All() {
		known = append(known, action.Key.String())
	}
	return gitops.FewOf(lost, maxStrangers, func(s v1alpha1.SyncOperationResource) string {
		name := gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}.String()
		return fmt.Sprintf("the application has no %s%s", name, gitops.DidYouMean(name, known))
	})
}

// remarks are what a sync that went well has to say of its request: names in
// it that mean nothing.
func remarks(t *state.Target) string {
	st := t.App.Status.OperationState
	if st.Operation.InitiatedBy.Automated {
		return "" // the options are the application's, and a condition tells
	}
	texts := append(gitops.Few(plan.Mistakes(opstate.SyncOf(st).SyncOptions), maxStrangers), t.Lost...)
	if len(texts) == 0 {
		return ""
	}
	return "; " + strings.Join(texts, "; ")
}

// narrow keeps what is as desired out of a plan, where that is asked for.
func (r *Reconciler) narrow(ctx context.Context, t *state.Target, p *gitops.Plan) error {
	if !narrows(t) {
		return nil
	}
	if err := r.confirm(ctx, t, p); err != nil {
		return err
	}
	plan.LeaveOutSynced(p, sent(t.App.Status.OperationState))
	return nil
}

func narrows(t *state.Target) bool {
	return t.Options.Has(v1alpha1.SyncOptionApplyOutOfSyncOnly+"=true") && t.Refusal == nil && !opstate.Restoring(t.App)
}

// sent tells which objects an operation has sent before: the engine may have
// started again since.
func sent(st *v1alpha1.OperationState) func(gitops.Key) bool {
	if st.SyncResult == nil {
		return func(gitops.Key) bool { return false }
	}
	there := map[gitops.Key]bool{}
	for _, s := range st.SyncResult.Resources {
		there[gitops.Key{Group: s.Group, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}] = true
		there[gitops.Key{Group: s.Group, Kind: s.Kind, Name: s.Name}] = true // a result of what has no namespace shows one
	}
	return func(k gitops.Key) bool { return there[k] }
}
