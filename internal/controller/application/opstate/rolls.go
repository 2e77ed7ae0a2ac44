package opstate

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Rolls reports whether the operation goes back by kept manifests, or was
// marked as a rollback.
func Rolls(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st != nil && Info(st.Operation.Info, gitops.InfoRollback) != ""
}

// Restoring reports whether an automatic rollback runs.
func Restoring(app *v1alpha1.Application) bool {
	st := app.Status.OperationState
	return st.Runs() && st.Operation.InitiatedBy.Automated && Rolls(app)
}

// LastGood is the last entry of the history, unless it is what has just failed.
func LastGood(app *v1alpha1.Application, failed *v1alpha1.OperationState) *v1alpha1.RevisionHistory {
	if len(app.Status.History) == 0 {
		return nil
	}
	h := &app.Status.History[len(app.Status.History)-1]
	if h.DeployStartedAt == nil || WantedOf(h).Attempted(failed.SyncResult) {
		return nil
	}
	return h
}

// RevisionsOf are the revisions of a sync, of one source or of several.
func RevisionsOf(s *v1alpha1.SyncOperationResult) []string {
	switch {
	case s == nil:
		return nil
	case len(s.Revisions) > 0:
		return s.Revisions
	}
	return []string{s.Revision}
}

// WantedOf is what an entry of the history deployed.
func WantedOf(h *v1alpha1.RevisionHistory) Wanted {
	if h.Sources != nil {
		return Wanted{Sources: h.Sources, Revisions: h.Revisions, Multiple: true}
	}
	return Wanted{Sources: v1alpha1.ApplicationSources{h.Source}, Revisions: []string{h.Revision}}
}

// Skew is how much older than the sync that made it an object may look: times have
// whole seconds, an operation may count as begun a second later than it was, and
// clocks differ.
const Skew = 2 * time.Second

// Older reports whether an object was there before a sync that began at a time.
func Older(l *gitops.Live, began time.Time) bool { return l.Created.Before(began.Add(-Skew)) }
