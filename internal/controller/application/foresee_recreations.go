package application

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// foresee finds out which objects of a plan Force=true would delete and make
// anew, by dry runs. To all others the option means nothing, and is taken from
// them: what is deleted later is what was weighed here, and no more.
func (r *Reconciler) foresee(ctx context.Context, t *state.Target, p *gitops.Plan) error {
	g, ctx := crew.WithContext(ctx)
	g.SetLimit(state.ConfirmsInFlight)
	for a := range p.All() {
		if !forces(a) {
			continue
		}
		if t.Refusal != nil || t.PermitsAction(a) != nil {
			continue // nothing of such a plan is done
		}
		g.Go(func() error {
			*a = r.foreseen(ctx, t, *a)
			return ctx.Err()
		})
	}
	return g.Wait()
}

// forces reports whether an action may delete what it is to change.
func forces(a *gitops.Action) bool {
	return a.Verb == gitops.Update && a.Live != nil && a.Options.Force && !a.Hook && a.Fault == nil
}

// foreseen is an action as it is after that. What an API server has against it
// other than what the object is, its apply tells.
func (r *Reconciler) foreseen(ctx context.Context, t *state.Target, a gitops.Action) gitops.Action {
	if settled, err := r.Apply.Confirm(ctx, t.Writer, a); err == nil {
		a = settled
	}
	switch {
	case !forces(&a):
		return a
	case a.Options.Replace:
		a.Goes = true
		return a
	}
	_, _, err := r.Apply.Predict(ctx, t.Writer, a)
	a.Goes = refusesChange(err)
	a.Options.Force = a.Goes
	return a
}

// refusesChange reports whether the API server does not take a change for what the
// object is, or that it cannot be asked.
func refusesChange(err error) bool {
	return gitops.IsProblem(err, gitops.Invalid)
}
