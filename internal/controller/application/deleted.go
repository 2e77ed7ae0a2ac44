package application

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Deletion is what was deleted in a cluster at once.
type Deletion struct {
	App     *v1alpha1.Application
	Cluster gitops.Cluster
	// Sync is the id of the sync that it was part of; empty in the deletion of the
	// Application.
	Sync string
	// Why is for people.
	Why     string
	Objects []gitops.Key
}

// Why objects are deleted that are not pruned.
const (
	whyCascade    = "the Application is being deleted"
	whyAnew       = "made anew"
	whyRan        = "hooks that have run, by their delete policy"
	whyTerminated = "a hook of a sync that was terminated"
)

// tellRemoved tells what was deleted in the deletion of an Application.
func (r *Reconciler) tellRemoved(d *removal, why string, outcome []gitops.Result) {
	if objects := deletedOf(outcome); objects != nil && r.Deleted != nil {
		r.Deleted(Deletion{App: d.App, Cluster: d.Cluster.Desc(), Why: why, Objects: objects})
	}
}

// tellSynced tells what was deleted in a sync.
func (r *Reconciler) tellSynced(t *target, why string, outcome []gitops.Result) {
	objects := deletedOf(outcome)
	if objects == nil || r.Deleted == nil {
		return
	}
	id := history.ID(string(t.App.UID), t.App.Status.OperationState.StartedAt.Time)
	r.Deleted(Deletion{App: t.App, Cluster: t.Cluster.Desc(), Sync: id, Why: why, Objects: objects})
}

func deletedOf(outcome []gitops.Result) []gitops.Key {
	var out []gitops.Key
	for i := range outcome {
		if outcome[i].Deleted {
			out = append(out, outcome[i].Key)
		}
	}
	return out
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
