package opstate

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// Ran tells how far hooks came in the operation, by its own record.
func Ran(st *v1alpha1.OperationState) func(gitops.Phase, gitops.Key) plan.HookState {
	if st.SyncResult == nil {
		return nil
	}
	record := st.SyncResult.Resources
	return func(phase gitops.Phase, k gitops.Key) plan.HookState {
		for i := range record {
			s := &record[i]
			if s.HookType == "" || string(s.SyncPhase) != string(phase) || !Names(s, k) {
				continue
			}
			if s.HookPhase == v1alpha1.OperationSucceeded {
				return plan.HookOver
			}
			return plan.HookStarted
		}
		return plan.HookPending
	}
}

// Names reports whether a result is an object's. Results of objects without a
// namespace show the application's.
func Names(s *v1alpha1.ResourceResult, k gitops.Key) bool {
	return s.Group == k.Group && s.Kind == k.Kind && s.Name == k.Name && (k.Namespace == "" || s.Namespace == k.Namespace)
}
