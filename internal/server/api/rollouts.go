package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Roller holds roll-outs in steps, and lets them go on. That somebody may is
// settled before; a set without steps is refused.
type Roller interface {
	PauseSet(ctx context.Context, u *auth.User, set *v1alpha1.ApplicationSet) error
	ResumeSet(ctx context.Context, u *auth.User, set *v1alpha1.ApplicationSet) error
}

// Rollout is how far a set is that brings its Applications up to date in steps.
type Rollout struct {
	Paused  bool          `json:"paused" doc:"Nothing more is begun; syncs that run go on."`
	Message string        `json:"message,omitempty"`
	Steps   []RolloutStep `json:"steps" nullable:"false"`
	Others  bool          `json:"others,omitempty" doc:"There are further Applications in the steps, that you may not read: they are not counted."`
}

// RolloutStep counts the Applications of one step, of those that one may read.
type RolloutStep struct {
	Number  int    `json:"number" doc:"From 1; 0 is of those that no step selects."`
	AtOnce  string `json:"atOnce,omitempty" doc:"How many are brought up to date at a time, as a number or a share; all when empty."`
	Total   int    `json:"total"`
	Done    int    `json:"done"`
	AtWork  int    `json:"atWork"`
	Waiting int    `json:"waiting"`
}

// rolloutOf is nil for a set without steps, or whose steps cannot be read: then
// a condition of the set says so.
func rolloutOf(set *v1alpha1.ApplicationSet, u *reach.Unseen) *Rollout {
	steps, err := rollout.Of(set)
	if err != nil || len(steps) == 0 {
		return nil
	}
	out := &Rollout{Paused: rollout.Paused(set), Message: rollout.Message(u.Conditions(set))}
	for i := range set.Status.ApplicationStatus {
		out.Others = out.Others || u.Has(set.Namespace, set.Status.ApplicationStatus[i].Application)
	}
	for i := range steps {
		one := rolloutStepOf(set, u, i+1)
		if most := steps[i].MaxUpdate; most != nil {
			one.AtOnce = most.String()
		}
		out.Steps = append(out.Steps, one)
	}
	if rest := rolloutStepOf(set, u, rollout.Unmatched); rest.Total > 0 {
		rest.Number = 0
		out.Steps = append(out.Steps, rest)
	}
	return out
}

func rolloutStepOf(set *v1alpha1.ApplicationSet, u *reach.Unseen, number int) RolloutStep {
	out := RolloutStep{Number: number}
	for _, e := range rollout.In(number, set.Status.ApplicationStatus) {
		if u.Has(set.Namespace, e.Application) {
			continue
		}
		out.Total++
		switch e.Status {
		case v1alpha1.ProgressiveSyncHealthy:
			out.Done++
		case v1alpha1.ProgressiveSyncPending, v1alpha1.ProgressiveSyncProgressing:
			out.AtWork++
		default:
			out.Waiting++
		}
	}
	return out
}

func (s *server) rollouts(a huma.API) {
	at := func(id, path, summary string) huma.Operation {
		op := operation(id, http.MethodPost, "/applicationsets/{namespace}/{name}"+path, "operations", summary)
		op.DefaultStatus = http.StatusAccepted
		op.Errors = append(op.Errors, http.StatusConflict, http.StatusUnprocessableEntity)
		return op
	}
	handle(a, at("pause-rollout", "/pause", "Let a roll-out in steps begin nothing more; syncs that run go on"), func(ctx context.Context, in *KeyInput) (*struct{}, error) {
		return s.holdSet(ctx, in, s.Roll.PauseSet)
	})
	handle(a, at("resume-rollout", "/resume", "Let a roll-out in steps go on"), func(ctx context.Context, in *KeyInput) (*struct{}, error) {
		return s.holdSet(ctx, in, s.Roll.ResumeSet)
	})
}

// holdSet has a roll-out paused or resumed by who may change its set.
func (s *server) holdSet(ctx context.Context, in *KeyInput, hold func(context.Context, *auth.User, *v1alpha1.ApplicationSet) error) (*struct{}, error) {
	set, err := s.maySet(ctx, in.key())
	if err != nil {
		return nil, err
	}
	if err := s.reach.Demand(ctx, reach.Set("update", set.Spec.Template.Spec.GetProject(), in.key())); err != nil {
		return nil, httpError(err)
	}
	return nil, httpError(hold(ctx, auth.From(ctx), set))
}
