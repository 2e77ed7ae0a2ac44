package opstate

import (
	"cmp"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// WaitingFor tells what a step waits for: the first thing, and how many others.
func WaitingFor(step plan.Step) string {
	if len(step.Waiting) == 0 {
		return "waiting"
	}
	return FirstOf(step.Waiting[0].String(), len(step.Waiting))
}

// FirstOf names one of some objects, and counts the others.
func FirstOf(one string, all int) string {
	if all == 1 {
		return one
	}
	return one + " (" + gitops.More(all-1) + ")"
}

// Failure is what went wrong.
func Failure(step plan.Step) string {
	return cmp.Or(Told(step.Errors), "one or more objects failed to apply")
}

// Told joins problems; the first few are enough to act on.
func Told(problems []error) string {
	const shown = 3
	return strings.Join(gitops.FewOf(problems, shown, error.Error), "; ")
}

// DropManifests takes the manifests that an operation brought out of the
// status: it tells how many they were.
func DropManifests(st *v1alpha1.OperationState) {
	if st.Operation.Sync != nil {
		st.Operation.Sync.Manifests = nil
	}
}

// Called is how a command names an Application: those of the control namespace by their
// name alone. Elsewhere that would be another one's, which somebody might delete.
func Called(app *v1alpha1.Application, control string) string {
	return gitops.NameFrom(control, app.Namespace, app.Name)
}
