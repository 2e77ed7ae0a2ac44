package application

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// asNow brings a subject and its writer up to what its project says now: that may have
// been changed since they were made. The error is why nothing is written.
func (r *Reconciler) asNow(ctx context.Context, s state.Subject, w state.Writer) (state.Subject, state.Writer, error) {
	project, err := r.Projects.Project(ctx, s.App.Spec.GetProject())
	if err != nil {
		return s, w, err
	}
	s.Project, s.Scoped = project, r.Fleet.OfProject(project.Name)
	if err := policy.Namespace(project, s.App.Namespace, r.Namespace); err != nil {
		return s, w, err
	}
	if err := policy.Reaches(project, s.Place(), s.Scoped); err != nil {
		return s, w, err
	}
	w, err = r.writer(&s, w)
	return s, w, err
}

// targetNow is a target by its project as that is now; it is refused where nothing is to
// be written.
func (r *Reconciler) targetNow(ctx context.Context, t *state.Target) *state.Target {
	now := *t
	now.Subject, now.Writer, now.Refusal = r.asNow(ctx, t.Subject, t.Writer)
	return &now
}
