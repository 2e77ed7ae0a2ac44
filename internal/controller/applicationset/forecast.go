package applicationset

import (
	"context"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
)

// Foreseen is what an engine that begins would do to the Applications of a set.
type Foreseen struct {
	*generate.Changes

	// Rolls are the Applications whose syncs a roll-out in steps asks for.
	Rolls []string
}

// Foresee tells it of a set that was expanded, by the Applications that are
// live in its namespace. It writes nothing, and asks nobody; the expansion is
// changed as by the engine.
func Foresee(ctx context.Context, set *v1alpha1.ApplicationSet, live []v1alpha1.Application, e *generate.Expansion) (*Foreseen, error) {
	steps, err := rollout.Of(set)
	if err != nil {
		return nil, err
	}
	byName, out := gitops.ByName(live), &Foreseen{}
	if len(steps) > 0 {
		out.Rolls = roll(set, steps, byName, e)
	}
	owned := slices.DeleteFunc(slices.Clone(live), func(a v1alpha1.Application) bool { return !slices.Contains(Owner(&a), set.Name) })
	if out.Changes, err = generate.Plan(generate.Comparing(ctx, set), set, owned, e); err != nil {
		return nil, err
	}
	hold(out.Changes, set, e)
	out.Delete = slices.DeleteFunc(out.Delete, func(a v1alpha1.Application) bool { return !a.DeletionTimestamp.IsZero() })
	out.takeOver(byName)
	return out, nil
}

// roll takes the automated sync out of what is generated, and names what the
// roll-out syncs instead. Where Argo CD has taken it out in another way nothing changes.
func roll(set *v1alpha1.ApplicationSet, steps []v1alpha1.ApplicationSetRolloutStep, live map[string]*v1alpha1.Application, e *generate.Expansion) (rolls []string) {
	for i := range e.Applications {
		app := &e.Applications[i]
		if rollout.StepOf(steps, app.Labels) != rollout.Unmatched && !rollout.Paused(set) {
			rolls = append(rolls, app.Name)
		}
		automated := app.Spec.SyncPolicy.IsAutomated()
		rollout.ByHand(app)
		if was := live[app.Name]; was != nil && automated && !was.Spec.SyncPolicy.IsAutomated() {
			app.Spec.SyncPolicy.Automated = nil
			if was.Spec.SyncPolicy != nil {
				app.Spec.SyncPolicy.Automated = was.Spec.SyncPolicy.Automated
			}
		}
	}
	return rolls
}

// takeOver tells of Applications that would be made, and are there: some are
// changed instead, and others left to whose they are.
func (f *Foreseen) takeOver(live map[string]*v1alpha1.Application) {
	made := f.Create
	f.Create = nil
	for i := range made {
		app := &made[i]
		was := live[app.Name]
		if was == nil {
			f.Create = append(f.Create, *app)
			continue
		}
		if stranger(was, app) == nil {
			f.Update = append(f.Update, *owning(was, app))
		}
	}
}
