package operation

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Current reports whether the last operation was of what is compared now: then
// it is not tried again by itself.
func Current(app *v1alpha1.Application) bool {
	result, sync := app.Status.OperationState.SyncResult, &app.Status.Sync
	return result == nil || result.Revision == sync.Revision && slices.Equal(result.Revisions, sync.Revisions)
}
