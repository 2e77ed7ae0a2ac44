package application

import (
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// whyTerminated is why a hook is deleted that nobody waits for any more.
const whyTerminated = "a hook of a sync that was terminated"

// tellSynced tells what was deleted in a sync.
func (r *Reconciler) tellSynced(t *state.Target, why string, outcome []gitops.Result) {
	objects := deletion.Deleted(outcome)
	if objects == nil || r.Deleted == nil {
		return
	}
	id := history.ID(string(t.App.UID), t.App.Status.OperationState.StartedAt.Time)
	r.Deleted(deletion.Notice{App: t.App, Cluster: t.Cluster.Desc(), Sync: id, Why: why, Objects: objects})
}

// unpruned leaves out what the record of the sync tells.
func unpruned(outcome []gitops.Result) []gitops.Result {
	var out []gitops.Result
	for i := range outcome {
		if outcome[i].Verb != gitops.Prune {
			out = append(out, outcome[i])
		}
	}
	return out
}
