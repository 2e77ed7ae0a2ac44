package application

import (
	"cmp"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// results writes what became of each object in the form of the operation's
// state. Objects of waves that have not run yet are not in it.
func results(a *attempt) v1alpha1.ResourceResults {
	outcomes := a.progress.Results(a.plan)
	list := make(v1alpha1.ResourceResults, 0, len(outcomes))
	for i := range outcomes {
		list = append(list, result(&outcomes[i]))
	}
	slices.SortStableFunc(list, byKind)
	return list
}

func byKind(x, y v1alpha1.ResourceResult) int {
	return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
}

func result(r *gitops.Result) v1alpha1.ResourceResult {
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
	case r.Hook && r.Live != nil && r.Live.Health.Code == gitops.Healthy:
		return v1alpha1.OperationSucceeded
	case r.Hook && r.Live != nil && r.Live.Health.Code == gitops.Degraded:
		return v1alpha1.OperationFailed
	}
	return v1alpha1.OperationRunning
}
