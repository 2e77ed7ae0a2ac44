package claims

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
)

// TestModest: what says that it began by itself prunes where the Application is pruned
// by itself.
func TestModest(t *testing.T) {
	for name, tc := range map[string]struct {
		reason           string
		automated, prune bool
		want             bool
	}{
		"Automated": {"the policy does not prune", true, false, false},
		"Pruned":    {"it does", true, true, true},
		"Asked":     {"somebody asked for it", false, false, true},
	} {
		app := &v1alpha1.Application{}
		app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &tc.prune}}
		app.Status.OperationState = &v1alpha1.OperationState{Operation: v1alpha1.Operation{
			Sync: &v1alpha1.SyncOperation{Prune: true}, InitiatedBy: v1alpha1.OperationInitiator{Automated: tc.automated},
		}}
		modest(app, &app.Status.OperationState.Operation)
		if got := app.Status.OperationState.Operation.Sync.Prune; got != tc.want {
			t.Errorf("%s: %s: it prunes: %t", name, tc.reason, got)
		}
	}
}

// TestLateRequestsOfTheEngine: what the engine asked for goes on as begun by itself where
// it is seen too late, look after look, and tells once that it is nobody's now.
func TestLateRequestsOfTheEngine(t *testing.T) {
	j := judging(atOnce)
	app := &v1alpha1.Application{}
	app.UID = "one"
	app.Operation = &v1alpha1.Operation{
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true, Username: v1alpha1.ApplicationSetInitiator}, Sync: &v1alpha1.SyncOperation{Prune: true},
	}
	j.Seal.Ask(app.UID, app.Operation, operation.NewRequest(at.Add(-time.Hour)))
	for look := range 3 {
		took := j.refuse(t.Context(), app)
		if by := app.Operation.InitiatedBy; !by.Automated || by.Username != "" || app.Operation.Sync.Prune || (len(took) > 0) != (look == 0) {
			t.Errorf("look %d: it is by %+v, prunes: %t, was taken %q", look+1, by, app.Operation.Sync.Prune, took)
		}
		j.Own(app, state.AsRead{})
	}
}

// TestRequestsThatHaveBegun: a copy of what has begun is not believed, also while it runs
// and when no look has seen the Application without it.
func TestRequestsThatHaveBegun(t *testing.T) {
	j := judging(atOnce)
	j.requests.begin(at.Add(-time.Hour))
	app := &v1alpha1.Application{}
	app.UID = "one"
	asked := &v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"}, Sync: &v1alpha1.SyncOperation{}}
	j.Seal.Vouch(app.UID, asked, operation.NewRequest(at))
	app.Operation = asked.DeepCopy()
	if !j.believed(t.Context(), app) {
		t.Fatal("nobody believes who has just asked")
	}
	app.Status.OperationState = &v1alpha1.OperationState{Operation: *asked.DeepCopy(), Phase: v1alpha1.OperationRunning, StartedAt: v1alpha1.NewTime(at)}
	if j.believed(t.Context(), app) {
		t.Error("what runs is asked for again")
	}
	app.Status.OperationState = nil
	if j.believed(t.Context(), app) {
		t.Error("what has run is asked for again")
	}
}

// TestNotesOfWhatNobodySealed: what the engine notes in an operation by kubectl is not
// kept with it, so that the next look takes it for the same.
func TestNotesOfWhatNobodySealed(t *testing.T) {
	j := judging(atOnce)
	app := &v1alpha1.Application{}
	app.Operation = &v1alpha1.Operation{Info: []v1alpha1.Info{{Name: gitops.InfoRequest, Value: "mark"}, {Name: gitops.InfoRollback, Value: "7"}, {Name: gitops.InfoKept, Value: "7"}}}
	j.Own(app, state.AsRead{})
	if took := j.refuse(t.Context(), app); len(took) > 0 || opstate.Info(app.Operation.Info, gitops.InfoRollback) != "7" {
		t.Errorf("of %v was taken %q", app.Operation.Info, took)
	}
}
