package opstate

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// OperationStart is when the operation that runs began: only what a person
// confirms after that counts.
func OperationStart(app *v1alpha1.Application) time.Time {
	if app.Status.OperationState.Runs() {
		return app.Status.OperationState.StartedAt.Time
	}
	return time.Time{}
}
