package opstate

import (
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// RollsOut reports whether the RollingSync of an ApplicationSet asked for an
// operation. Such a one keeps to the revisions that it names: later ones have
// to go through the steps before.
func RollsOut(op v1alpha1.Operation) bool {
	return op.InitiatedBy.Automated && op.InitiatedBy.Username == v1alpha1.ApplicationSetInitiator
}

// TakesOver reports whether a request takes the place of the operation that runs:
// the next revision of a roll-out that of the one before, once the roll-out has
// come to this application, and any one that of a sync which only waits for
// dependencies.
func TakesOver(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	if app.Operation == nil || !st.Runs() {
		return false
	}
	return RollsOut(*app.Operation) && RollsOut(st.Operation) || !Begun(st) && awaitsDependencies(app)
}

// Of is what an operation syncs to: a roll-out's names its revisions.
func (w Wanted) Of(op v1alpha1.Operation) Wanted {
	if !RollsOut(op) || op.Sync == nil {
		return w
	}
	switch {
	case w.Multiple && len(op.Sync.Revisions) == len(w.Revisions):
		w.Revisions = op.Sync.Revisions
	case !w.Multiple && op.Sync.Revision != "" && len(w.Revisions) > 0:
		w.Revisions = slices.Concat([]string{op.Sync.Revision}, w.Revisions[1:])
	}
	return w
}

// Named reports whether an operation names exactly the revisions that were compared.
func (w Wanted) Named(op *v1alpha1.SyncOperation) bool {
	if w.Multiple {
		return slices.Equal(op.Revisions, w.Revisions)
	}
	return op.Revision == First(w.Revisions)
}
