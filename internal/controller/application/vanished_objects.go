package application

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// findLost looks for the objects of the wave that is waited for that were
// there, found or written, and that the cache does not show now. What the
// cluster does not have any more is applied again: nobody else would, and the
// next wave would wait for it for ever. What cannot be asked for now is asked
// for with the next look at the sync. What the project does not permit any more
// is neither asked for nor waited for.
func (r *Reconciler) findLost(ctx context.Context, t *state.Target, a *state.Attempt, live map[gitops.Key]*gitops.Live) {
	for _, action := range a.Progress.Unseen(a.Plan, func(k gitops.Key) *gitops.Live { return live[k] }) {
		if !t.MayAsk(&action) {
			a.Progress.Forgo(a.Plan, &action)
			continue
		}
		found, err := find(ctx, t.Cluster, &action)
		switch {
		case err != nil:
			r.Log.WarnContext(ctx, "object of a sync not found and not known to be gone", "app", t.App.Name, "object", action.Key.String(), "error", err)
		case found != nil:
			live[action.Key] = found
		default:
			r.Log.InfoContext(ctx, "object was deleted during its sync", "app", t.App.Name, "object", action.Key.String())
			a.Progress.Lost(a.Plan, &action)
		}
	}
}

// lostSince reports whether an object is gone from any wave of a sync that waits
// for all of them at its end. Then it has to be planned again.
func (r *Reconciler) lostSince(ctx context.Context, t *state.Target, a *state.Attempt, live map[gitops.Key]*gitops.Live) bool {
	for action := range a.Plan.All() {
		if action.Hook || action.Desired == nil || action.Verb == gitops.Skip || live[action.Key] != nil || plan.Expires(action) || !t.MayAsk(action) {
			continue
		}
		found, err := find(ctx, t.Cluster, action)
		if err == nil && found == nil {
			return true
		}
		if found != nil {
			live[action.Key] = found
		}
	}
	return false
}

// find asks the cluster for the object of an action that the cache does not show.
func find(ctx context.Context, in state.Reader, a *gitops.Action) (*gitops.Live, error) {
	return in.Find(ctx, a.Desired.Object.GroupVersionKind(), a.Key)
}
