package application

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/report"
)

// TestEventOfAnEndedSync is for who asked, and for what failed: the status of an automated
// one that succeeded says the same.
func TestEventOfAnEndedSync(t *testing.T) {
	automated, person := v1alpha1.OperationInitiator{Automated: true}, v1alpha1.OperationInitiator{Username: "ann"}
	for name, c := range map[string]struct {
		by    v1alpha1.OperationInitiator
		phase v1alpha1.OperationPhase
		want  []string
	}{
		"automated, succeeded": {automated, v1alpha1.OperationSucceeded, nil},
		"automated, failed":    {automated, v1alpha1.OperationFailed, []string{"OperationCompleted: Sync failed: done"}},
		"asked for, succeeded": {person, v1alpha1.OperationSucceeded, []string{"OperationCompleted: Sync to 0123456 succeeded"}},
		"asked for, failed":    {person, v1alpha1.OperationError, []string{"OperationCompleted: Sync failed: done"}},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.OperationState = &v1alpha1.OperationState{
				Operation:  v1alpha1.Operation{InitiatedBy: c.by},
				SyncResult: &v1alpha1.SyncOperationResult{Revision: "0123456789012345678901234567890123456789"},
			}
			r := &Reconciler{Options: Options{Now: func() time.Time { return at }}, attempts: state.NewAttempts()}
			events := &announced{}
			out := report.New("Application", nil, events, nil, report.NewMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler)).Begin(t.Context(), app)
			out.Hold(time.Second) // what is told matters, not what is written
			r.finish(out, &state.Target{Subject: state.Subject{App: app}}, c.phase, "done")
			if _, err := out.EndUnchanged(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(*events, c.want) {
				t.Errorf("the events are %q, want %q", *events, c.want)
			}
		})
	}
}
