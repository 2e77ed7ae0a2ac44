package opstate

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// awaitsDependencies reports whether the application shows a wait for dependencies.
func awaitsDependencies(app *v1alpha1.Application) bool {
	return slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
		return c.Type == v1alpha1.ApplicationConditionDependencyWaiting
	})
}

// Begun reports whether a sync has written something already.
func Begun(st *v1alpha1.OperationState) bool {
	return st.SyncResult != nil && len(st.SyncResult.Resources) > 0
}

// Free reports whether an operation waits for nothing: it undoes drift, changes
// nothing, or was told not to wait.
func Free(st *v1alpha1.OperationState) bool {
	op := SyncOf(st)
	return op.SelfHealAttemptsCount > 0 || op.DryRun || slices.ContainsFunc(st.Operation.Info, func(i v1alpha1.Info) bool {
		return i.Name == gitops.InfoIgnoreDependencies && i.Value == "true"
	})
}
