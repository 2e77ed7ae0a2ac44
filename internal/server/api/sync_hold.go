package api

import (
	"context"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Hold is what holds a running sync back.
type Hold struct {
	For     string    `json:"for" enum:"wave,dependencies,approval,retry,other" doc:"Objects of a wave, other applications, somebody's approval of deletions, the next try, or what the message says."`
	Message string    `json:"message" doc:"In the engine's words."`
	Phase   string    `json:"phase,omitempty" doc:"Of the wave: PreSync, Sync, PostSync, SyncFail."`
	Wave    *int      `json:"wave,omitempty"`
	Since   time.Time `json:"since,omitzero" doc:"When the wave was applied, or the wait began."`
	Objects []HeldBy  `json:"objects,omitempty" doc:"Objects of the wave that are not healthy, or hooks that are not done; those of the message first."`
}

// HeldBy is an object that a sync waits for.
type HeldBy struct {
	Ref

	Health  string `json:"health,omitempty"`
	Message string `json:"message,omitempty"`
	Hook    bool   `json:"hook,omitempty"`
}

// mostHeldBy bounds the list: the first ones say enough.
const mostHeldBy = 20

// holdOf tells what an Application's sync waits for; nil when none runs, or it
// waits for nothing.
func (s *server) holdOf(ctx context.Context, app *v1alpha1.Application) *Hold {
	st := app.Status.OperationState
	if !st.Proceeds() || st.Message == "" {
		return nil
	}
	h := &Hold{For: "other", Message: st.Message, Since: gitops.Moment(st.StartedAt.Time)}
	if w, ok := gitops.ParseWaiting(st.Message); ok {
		h.For, h.Phase, h.Wave, h.Objects = "wave", string(w.Phase), &w.Wave, heldBy(app, w)
		h.Since = s.waveSince(ctx, app, w, h.Since)
		return h
	}
	if st.BetweenTries() {
		h.For, h.Since = "retry", gitops.Moment(st.FinishedAt.Time)
		return h
	}
	for _, c := range app.Status.Conditions {
		what := map[string]string{v1alpha1.ApplicationConditionDependencyWaiting: "dependencies", v1alpha1.ApplicationConditionDeletionHeldError: "approval"}[c.Type]
		if what == "" {
			continue
		}
		h.For = what
		if c.LastTransitionTime != nil {
			h.Since = gitops.Moment(c.LastTransitionTime.Time)
		}
	}
	return h
}

// waveSince is when a wave was applied, as the history has it.
func (s *server) waveSince(ctx context.Context, app *v1alpha1.Application, w gitops.Waiting, began time.Time) time.Time {
	if s.Past == nil {
		return began
	}
	kept, err := s.Past.Get(ctx, history.ID(string(app.UID), app.Status.OperationState.StartedAt.Time))
	if err != nil {
		return began // it is not written yet, or not kept
	}
	for i := range slices.Backward(kept.Waves) {
		if wave := &kept.Waves[i]; wave.Phase == w.Phase && wave.Number == w.Wave && !wave.Applied.IsZero() {
			return gitops.Moment(wave.Applied)
		}
	}
	return began
}

// heldBy are the object that the engine names, and others of its wave.
func heldBy(app *v1alpha1.Application, w gitops.Waiting) []HeldBy {
	first := HeldBy{Ref: refOf(app, w.Key), Health: string(w.Health.Code), Message: w.Health.Message, Hook: w.Phase != gitops.Sync}
	out := []HeldBy{first}
	add := func(one HeldBy) {
		at := slices.IndexFunc(out, func(o HeldBy) bool { return o.Key() == one.Key() })
		switch {
		case at >= 0:
			out[at].Hook = out[at].Hook || one.Hook
			if out[at].Health == "" {
				out[at].Health = one.Health
			}
		case len(out) < mostHeldBy:
			out = append(out, one)
		}
	}
	for _, r := range resultsOf(app) {
		if r.HookRuns() && string(r.SyncPhase) == string(w.Phase) {
			add(HeldBy{Ref: Ref{r.Group, r.Version, r.Kind, r.Namespace, r.Name}, Message: r.Message, Hook: true})
		}
	}
	for i := range app.Status.Resources {
		r := &app.Status.Resources[i]
		if w.Phase != gitops.Sync || r.Hook || r.SyncWave != int64(w.Wave) || r.Health == nil || r.Health.Status == "" || r.Health.Status == v1alpha1.HealthStatusHealthy {
			continue
		}
		add(HeldBy{Ref: Ref{r.Group, r.Version, r.Kind, r.Namespace, r.Name}, Health: string(r.Health.Status), Message: r.Health.Message})
	}
	return out
}

// resultsOf are what the running operation has done so far.
func resultsOf(app *v1alpha1.Application) v1alpha1.ResourceResults {
	if r := app.Status.OperationState.SyncResult; r != nil {
		return r.Resources
	}
	return nil
}

// refOf names an object with the version by which the status knows it.
func refOf(app *v1alpha1.Application, k gitops.Key) Ref {
	ref := Ref{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name}
	for i := range app.Status.Resources {
		if r := &app.Status.Resources[i]; r.Group == k.Group && r.Kind == k.Kind && r.Namespace == k.Namespace && r.Name == k.Name {
			ref.Version = r.Version
			return ref
		}
	}
	for _, r := range resultsOf(app) {
		if r.Group == k.Group && r.Kind == k.Kind && r.Name == k.Name && (r.Namespace == k.Namespace || k.Namespace == "") {
			ref.Version = r.Version
		}
	}
	return ref
}
