package application

import (
	"context"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// writer is a cluster as the user who writes to it: the engine itself where that is empty.
type writer struct {
	apply.Cluster

	user string
}

// writer is the destination as the user that the project has writes made as: the one
// that there is, where it is that user's. There is none with an error: nothing is
// written as the engine instead.
func (r *Reconciler) writer(s *subject, had writer) (writer, error) {
	acting := policy.ActAsEngine
	if r.Acting != nil {
		acting = r.Acting()
	}
	user, err := policy.Account(s.Project, s.Place(), s.App.Namespace, acting)
	if err != nil {
		return writer{}, err
	}
	if had.Cluster != nil && had.user == user {
		return had, nil
	}
	if user == "" {
		return writer{s.Cluster, user}, nil
	}
	as, err := s.Cluster.As(user)
	if err != nil {
		return writer{}, err
	}
	return writer{as, user}, nil
}

// refusals are the objects of a plan that the project forbids, as results of
// a sync: nothing was tried with them.
func (t *target) refusals(p *gitops.Plan) (v1alpha1.ResourceResults, []error) {
	var results v1alpha1.ResourceResults
	var problems []error
	for _, w := range p.Waves {
		for i := range w.Actions {
			if err := t.PermitsAction(&w.Actions[i]); err != nil {
				refused := forbidden(&w, &w.Actions[i], err)
				result := result(&refused)
				result.HookPhase = ""
				results, problems = append(results, result), append(problems, err)
			}
		}
	}
	return results, problems
}

// forbidden is the result of an action that the project forbids.
func forbidden(w *gitops.Wave, action *gitops.Action, why error) gitops.Result {
	r := gitops.Result{
		Key: action.Key, Verb: action.Verb, Phase: w.Phase, Wave: w.Number, Hook: action.Hook,
		Status: string(v1alpha1.ResultCodeSyncFailed), Message: why.Error(), Err: why,
	}
	if action.Desired != nil {
		r.Version = action.Desired.Object.GroupVersionKind().Version
	}
	return r
}

// wave carries out a wave as far as the project permits it now, and as the user that it
// names now: it may have been narrowed since the plan was made. Nothing is sent of what
// it forbids.
func (r *Reconciler) wave(ctx context.Context, t *target, w gitops.Wave) []gitops.Result {
	now := r.targetNow(ctx, t)
	var refused []gitops.Result
	all := w.Actions
	w.Actions = nil
	for i := range all {
		why := now.refusal
		if why == nil {
			why = now.PermitsAction(&all[i])
		}
		if why != nil {
			refused = append(refused, forbidden(&w, &all[i], why))
			continue
		}
		w.Actions = append(w.Actions, all[i])
	}
	if len(w.Actions) == 0 {
		return refused
	}
	return append(refused, r.Apply.Wave(ctx, now.writer, w)...)
}

// refuse tells how an operation ends that the project forbids, before anything
// is done; the phase is empty when nothing is forbidden. What is forbidden is
// put into the results; the caller ends the operation.
func (t *target) refuse(p *gitops.Plan) (phase v1alpha1.OperationPhase, text string) {
	if t.refusal != nil {
		return v1alpha1.OperationError, t.refusal.Error()
	}
	results, problems := t.refusals(p)
	if len(problems) == 0 {
		return "", ""
	}
	t.App.Status.OperationState.SyncResult.Resources = results
	return v1alpha1.OperationFailed, told(problems)
}

// doubt shows what of the project cannot be meant so, to who may use it: anybody
// may write a project's name.
func (r *Reconciler) doubt(project *v1alpha1.AppProject, app *v1alpha1.Application) {
	var problems []error
	if policy.Namespace(project, app.Namespace, r.Namespace) == nil {
		problems = policy.Doubts(project, app)
	}
	var conditions []v1alpha1.ApplicationCondition
	if len(problems) > 0 {
		conditions = append(conditions, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionInvalidProjectWarning, Message: told(problems)})
	}
	report.SetConditions(app, []string{v1alpha1.ApplicationConditionInvalidProjectWarning}, conditions, r.Now())
}

// told joins problems; the first few are enough to act on.
func told(problems []error) string {
	const shown = 3
	return strings.Join(gitops.FewOf(problems, shown, error.Error), "; ")
}

// lifted tells that the last automated sync was refused before anything was
// done, and that nothing refuses it any more: the project was changed since.
func (t *target) lifted(p *gitops.Plan) bool {
	st := t.App.Status.OperationState
	if !st.Operation.InitiatedBy.Automated || !refused(st) || t.refusal != nil {
		return false
	}
	_, problems := t.refusals(p)
	_, faults := faults(p)
	return len(problems)+len(faults) == 0
}

// refused tells that an operation ended as refuse ends one: in an error, or
// with every object forbidden and none tried.
func refused(st *v1alpha1.OperationState) bool {
	if st.Phase == v1alpha1.OperationError {
		return true
	}
	return st.Phase == v1alpha1.OperationFailed && untried(st)
}

// untried tells that an operation has results, and that nothing was tried with
// any of their objects.
func untried(st *v1alpha1.OperationState) bool {
	if st.SyncResult == nil || len(st.SyncResult.Resources) == 0 {
		return false
	}
	for _, s := range st.SyncResult.Resources {
		if s.Status != v1alpha1.ResultCodeSyncFailed || s.HookPhase != "" {
			return false
		}
	}
	return true
}

// mayAsk reports whether the cluster may be asked what has become of an object of a plan: the project may have been
// narrowed since that was made.
func (t *target) mayAsk(a *gitops.Action) bool { return a.Namespace || t.sees(a.Key) }
