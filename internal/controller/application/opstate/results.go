package opstate

import (
	"cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ByKind orders results by kind, namespace and name.
func ByKind(x, y v1alpha1.ResourceResult) int {
	return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
}

// Result is what became of an object in the form of the status.
func Result(r *gitops.Result) v1alpha1.ResourceResult {
	out := v1alpha1.ResourceResult{
		Group: r.Key.Group, Version: r.Version, Kind: r.Key.Kind, Namespace: r.Key.Namespace, Name: r.Key.Name,
		Status: v1alpha1.ResultCode(r.Status), Message: r.Message,
		SyncPhase: v1alpha1.SyncPhase(r.Phase), HookPhase: progressOf(r),
	}
	if r.Hook {
		out.HookType = v1alpha1.HookType(r.Phase)
	}
	if r.Live != nil {
		out.Images = r.Live.Images
	}
	return out
}

// progressOf is how far an object has come. As in Argo CD, a plain object
// that was applied stays Running: it tells nothing of its health.
func progressOf(r *gitops.Result) v1alpha1.OperationPhase {
	switch {
	case r.Err != nil:
		return v1alpha1.OperationFailed
	case r.Verb == gitops.Prune || r.Verb == gitops.Skip:
		return v1alpha1.OperationSucceeded
	case r.Hook && r.Live != nil:
		return hookPhases[r.Live.Health.Code]
	case r.Hook && r.Verb == gitops.Keep:
		return v1alpha1.OperationSucceeded // it ran before, and its object is gone
	}
	return v1alpha1.OperationRunning
}

// hookPhases are how far a hook of a health has come; one without a health
// check is done when it is made.
var hookPhases = map[gitops.HealthCode]v1alpha1.OperationPhase{
	"":                   v1alpha1.OperationSucceeded,
	gitops.Healthy:       v1alpha1.OperationSucceeded,
	gitops.Suspended:     v1alpha1.OperationRunning,
	gitops.Progressing:   v1alpha1.OperationRunning,
	gitops.Missing:       v1alpha1.OperationRunning,
	gitops.Degraded:      v1alpha1.OperationFailed,
	gitops.HealthUnknown: v1alpha1.OperationFailed,
}
