package deletion

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Notice tells what was deleted in a cluster at once.
type Notice struct {
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
	whyCascade = "the Application is being deleted"
	// MadeAnew is said of objects in whose place others come.
	MadeAnew = "made anew"
	// HasRun is said of hooks.
	HasRun = "hooks that have run, by their delete policy"
)

// notify tells what was deleted in the deletion of an Application.
func (r *Remover) notify(d *Removal, why string, outcome []gitops.Result) {
	if objects := Deleted(outcome); objects != nil && r.Deleted != nil {
		r.Deleted(Notice{App: d.App, Cluster: d.Cluster.Desc(), Why: why, Objects: objects})
	}
}

// Deleted are the objects of results that were deleted; nil for none.
func Deleted(outcome []gitops.Result) []gitops.Key {
	var out []gitops.Key
	for i := range outcome {
		if outcome[i].Deleted {
			out = append(out, outcome[i].Key)
		}
	}
	return out
}
