package application

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// rollsOut reports whether the RollingSync of an ApplicationSet asked for an
// operation. Such a one keeps to the revisions that it names: later ones have
// to go through the steps before.
func rollsOut(op v1alpha1.Operation) bool {
	return op.InitiatedBy.Automated && op.InitiatedBy.Username == v1alpha1.ApplicationSetInitiator
}

// takesOver reports whether a request takes the place of the operation that runs:
// the next revision of a roll-out that of the one before, once the roll-out has
// come to this application, and any one that of a sync which only waits for
// dependencies.
func takesOver(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	if app.Operation == nil || !st.Runs() {
		return false
	}
	return rollsOut(*app.Operation) && rollsOut(st.Operation) || !begun(st) && awaitsDependencies(app)
}

// of is what an operation syncs to: a roll-out's names its revisions.
func (w wanted) of(op v1alpha1.Operation) wanted {
	if !rollsOut(op) || op.Sync == nil {
		return w
	}
	switch {
	case w.multiple && len(op.Sync.Revisions) == len(w.revisions):
		w.revisions = op.Sync.Revisions
	case !w.multiple && op.Sync.Revision != "" && len(w.revisions) > 0:
		w.revisions = slices.Concat([]string{op.Sync.Revision}, w.revisions[1:])
	}
	return w
}

// named reports whether an operation names exactly the revisions that were compared.
func (w wanted) named(op *v1alpha1.SyncOperation) bool {
	if w.multiple {
		return slices.Equal(op.Revisions, w.revisions)
	}
	return op.Revision == first(w.revisions)
}
