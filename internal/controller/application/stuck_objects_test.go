package application

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/report"
)

// An object whose health goes to and fro does not hold a deletion for ever.
func TestLastLookAtAHealthThatFlaps(t *testing.T) {
	now := at
	r := &Reconciler{Options: Options{StuckAfter: deletion.StuckAfter, Now: func() time.Time { return now }}, stuck: deletion.NewStuck(), attempts: state.NewAttempts()}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	op := v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Manifests: []string{"a manifest"}}}
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, StartedAt: v1alpha1.NewTime(at), Operation: op}
	look := func(a *state.Attempt, message string) bool {
		r.attempts.Put(client.ObjectKeyFromObject(app), a)
		app.Status.OperationState.Message = message
		out := report.New("Application", nil, nil, nil, nil, nil).Begin(t.Context(), app)
		if err := r.lastLook(out, app, nil); err != nil {
			t.Fatal(err)
		}
		return app.Status.OperationState.Runs()
	}
	first, second := &state.Attempt{}, &state.Attempt{}
	second.Progress.Waves = 1
	if !look(first, "1 of 3 replicas") {
		t.Fatal("it is ended at once")
	}
	now = now.Add(deletion.StuckAfter)
	if !look(second, "1 of 3 replicas") {
		t.Fatal("it is ended although it goes on")
	}
	now = now.Add(deletion.StuckAfter / 2)
	if !look(second, "2 of 3 replicas") {
		t.Fatal("it is ended too early")
	}
	now = now.Add(deletion.StuckAfter / 2)
	if look(second, "1 of 3 replicas") {
		t.Error("it is waited for still")
	}
	if op.Sync.Manifests != nil {
		t.Error("the manifests that it brought are kept")
	}
}

// A wave that waits for what its objects depend on does not hold a deletion at all: nothing of it is applied yet.
func TestLastLookAtAWaitForDependencies(t *testing.T) {
	r := &Reconciler{Options: Options{StuckAfter: deletion.StuckAfter, Now: func() time.Time { return at }}, stuck: deletion.NewStuck(), attempts: state.NewAttempts()}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, StartedAt: v1alpha1.NewTime(at), Message: "it is waiting for Namespace/db"}
	r.attempts.Put(client.ObjectKeyFromObject(app), &state.Attempt{DependsSince: at})
	out := report.New("Application", nil, nil, nil, nil, nil).Begin(t.Context(), app)
	if err := r.lastLook(out, app, nil); err != nil || app.Status.OperationState.Runs() {
		t.Errorf("it is waited for: %v", err)
	}
}
