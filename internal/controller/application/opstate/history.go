package opstate

import (
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Record adds a successful sync to the history and drops the oldest entries
// beyond the application's limit.
func Record(app *v1alpha1.Application, now time.Time) {
	st := app.Status.OperationState
	entry := v1alpha1.RevisionHistory{
		ID:              nextID(app.Status.History),
		Revision:        st.SyncResult.Revision,
		Revisions:       st.SyncResult.Revisions,
		Source:          st.SyncResult.Source,
		Sources:         st.SyncResult.Sources,
		DeployStartedAt: &st.StartedAt,
		DeployedAt:      Ended(st, now),
		InitiatedBy:     st.Operation.InitiatedBy,
	}
	history := slices.Concat(app.Status.History, v1alpha1.RevisionHistories{entry})
	if over := len(history) - app.Spec.GetRevisionHistoryLimit(); over > 0 {
		history = history[over:]
	}
	app.Status.History = history
}

func nextID(h v1alpha1.RevisionHistories) int64 {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].ID + 1
}
