package app

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestTerminate ends operations that the engine does not wait for anything of: one that only the status has, and one
// of an application that cannot be read any more.
func TestTerminate(t *testing.T) {
	e := start(t, map[string]string{"plain/a.yaml": configMapV1, "slow/a.yaml": deployment("slow", "0", neverReady), "slow/b.yaml": waved("second", "1")})
	e.app("plain", "plain")
	e.app("slow", "slow")
	e.until("plain", "good", good)
	e.until("slow", "waiting", waitsFor("slow"))
	e.change("plain", func(app *v1alpha1.Application) {
		at := v1alpha1.NewTime(app.Status.OperationState.StartedAt.Add(time.Second))
		forged := v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true, Username: "alice"}}
		app.Status.OperationState = &v1alpha1.OperationState{Operation: forged, Phase: v1alpha1.OperationRunning, StartedAt: at}
	})
	e.terminate("plain")
	e.change("slow", func(app *v1alpha1.Application) { app.Spec.Source.Path = "nowhere" })
	e.until("slow", "not to be read", func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	})
	e.terminate("slow")
}
