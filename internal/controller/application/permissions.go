package application

import (
	"context"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/report"
)

// writer is the destination as the user that the project has writes made as: the one
// that there is, where it is that user's. There is none with an error: nothing is
// written as the engine instead.
func (r *Reconciler) writer(s *state.Subject, had state.Writer) (state.Writer, error) {
	acting := policy.ActAsEngine
	if r.Acting != nil {
		acting = r.Acting()
	}
	user, err := policy.Account(s.Project, s.Place(), s.App.Namespace, acting)
	if err != nil {
		return state.Writer{}, err
	}
	if had.Cluster != nil && had.User == user {
		return had, nil
	}
	if user == "" {
		return state.Writer{Cluster: s.Cluster, User: user}, nil
	}
	as, err := s.Cluster.As(user)
	if err != nil {
		return state.Writer{}, err
	}
	return state.Writer{Cluster: as, User: user}, nil
}

// wave carries out a wave as far as the project permits it now, and as the user that it
// names now: it may have been narrowed since the plan was made. Nothing is sent of what
// it forbids.
func (r *Reconciler) wave(ctx context.Context, t *state.Target, w gitops.Wave) []gitops.Result {
	now := r.targetNow(ctx, t)
	var refused []gitops.Result
	all := w.Actions
	w.Actions = nil
	for i := range all {
		why := now.Refusal
		if why == nil {
			why = now.PermitsAction(&all[i])
		}
		if why != nil {
			refused = append(refused, state.Forbidden(&w, &all[i], why))
			continue
		}
		w.Actions = append(w.Actions, all[i])
	}
	if len(w.Actions) == 0 {
		return refused
	}
	return append(refused, r.Apply.Wave(ctx, now.Writer, w)...)
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
		conditions = append(conditions, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionInvalidProjectWarning, Message: opstate.Told(problems)})
	}
	report.SetConditions(app, []string{v1alpha1.ApplicationConditionInvalidProjectWarning}, conditions, r.Now())
}
