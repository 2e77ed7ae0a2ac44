package table

import (
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Deletion is what the deletion of an Application waits for; empty when
// that is nothing.
func Deletion(app *v1alpha1.Application) string {
	for _, c := range app.Status.Conditions {
		if c.Type == v1alpha1.ApplicationConditionDeletionError {
			return screen.Words(c.Message)
		}
	}
	if asking := approval.Unconfirmed(app); len(asking) > 0 {
		return fmt.Sprintf("waiting for a confirmation of %s: causeway approve %s", gitops.Count(len(asking), "deletion"), gitops.NameIn(app.Namespace, app.Name))
	}
	if operation.Busy(app) {
		return "waiting for its operation: " + screen.Words(operation.Message(app))
	}
	if len(app.Finalizers) == 0 {
		return ""
	}
	return "waiting for " + strings.Join(app.Finalizers, ", ")
}
