package application

import (
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/report"
)

// TestMayBring: what a sync was not seen to begin with, or where, begins when it comes, so
// that a window in which nothing begins holds it up until its end.
func TestMayBring(t *testing.T) {
	closing := v1alpha1.SyncWindows{{Kind: v1alpha1.SyncWindowKindDeny, Schedule: "0 11 * * *", Duration: "1h", Applications: []string{"*"}, SyncOverrun: true}}
	cases := map[string]struct {
		reason string
		change func(tg *state.Target, c *state.Comparison)
		goesOn bool
	}{
		"same":      {"it began in time", func(*state.Target, *state.Comparison) {}, true},
		"manifests": {"they came after that", func(_ *state.Target, c *state.Comparison) { c.Rendering = &gitops.Rendering{Digest: "newer"} }, false},
		"cluster":   {"nothing had begun there", func(tg *state.Target, _ *state.Comparison) { tg.Cluster = server{address: "https://prod"} }, false},
		"namespace": {"nor there", func(tg *state.Target, _ *state.Comparison) { tg.App.Spec.Destination.Namespace = "prod" }, false},
		"options":   {"it did not force anything", func(tg *state.Target, _ *state.Comparison) { tg.Options = v1alpha1.SyncOptions{"Force=true"} }, false},
		"labels": {"nor did it label the namespace", func(tg *state.Target, _ *state.Comparison) {
			tg.App.Spec.SyncPolicy = &v1alpha1.SyncPolicy{ManagedNamespaceMetadata: &v1alpha1.ManagedNamespaceMetadata{Labels: map[string]string{"free": "yes"}}}
		}, false},
		"claimed": {"only the engine says what it saw begin", func(tg *state.Target, _ *state.Comparison) {
			tg.App.Status.OperationState.Operation.Info = []v1alpha1.Info{{Name: gitops.InfoBegan, Value: "true"}}
		}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := at
			r := &Reconciler{Options: Options{Now: func() time.Time { return now }}, attempts: state.NewAttempts()}
			project := permitting("*")
			project.Spec.SyncWindows = closing
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &web}}
			app.Status.OperationState = opstate.Begin(v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, opstate.Wanted{}, at)
			tg := &state.Target{Subject: state.Subject{App: app, Project: project, Cluster: server{address: "https://dev"}, Sources: v1alpha1.ApplicationSources{web}}}
			c := &state.Comparison{Comparison: compare.Comparison{Rendering: &gitops.Rendering{Digest: "first"}}}
			looks := func() bool {
				return r.windowOpen(t.Context(), &report.Outcome{}, tg) && r.mayBring(t.Context(), &report.Outcome{}, tg, c)
			}
			for range 2 {
				if !looks() {
					t.Fatalf("it does not begin before the window: %s", app.Status.OperationState.Message)
				}
			}
			_, began := operation.Began(&app.Status.OperationState.Operation)
			if !began.Equal(at) {
				t.Errorf("it began at %s", began)
			}
			now = at.Add(45 * time.Minute)
			tc.change(tg, c)
			for look := range 2 {
				if got := looks(); got != tc.goesOn {
					t.Errorf("%s: at look %d it goes on: %t", tc.reason, look+1, got)
				}
			}
			now = at.Add(2 * time.Hour)
			if !looks() {
				t.Errorf("it does not go on after the window: %s", app.Status.OperationState.Message)
			}
		})
	}
}

// TestOverrunOfWhatIsOver: what began in time and is over by the history was written back,
// and waits.
func TestOverrunOfWhatIsOver(t *testing.T) {
	w := written{history.ID("1", at): history.Sync{}}
	r := &Reconciler{Options: Options{Now: func() time.Time { return at.Add(45 * time.Minute) }, Past: w}}
	project := permitting("*")
	project.Spec.SyncWindows = v1alpha1.SyncWindows{{Kind: v1alpha1.SyncWindowKindDeny, Schedule: "0 11 * * *", Duration: "1h", Applications: []string{"*"}, SyncOverrun: true}}
	app := &v1alpha1.Application{}
	app.UID = "1"
	app.Status.OperationState = opstate.Begin(v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, opstate.Wanted{}, at)
	operation.SeeBegin(&app.Status.OperationState.Operation, "what", at)
	tg := &state.Target{Subject: state.Subject{App: app, Project: project}}
	if !r.windowOpen(t.Context(), &report.Outcome{}, tg) {
		t.Errorf("what runs does not go on: %s", app.Status.OperationState.Message)
	}
	w[history.ID("1", at)] = history.Sync{Finished: at}
	if r.windowOpen(t.Context(), &report.Outcome{}, tg) {
		t.Error("what is over goes on")
	}
}

// TestBeginIsNotedForOverruns alone: no other window asks for it.
func TestBeginIsNotedForOverruns(t *testing.T) {
	r := &Reconciler{Options: Options{Now: func() time.Time { return at }}}
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &web}}
	app.Status.OperationState = opstate.Begin(v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, opstate.Wanted{}, at)
	tg := &state.Target{Subject: state.Subject{App: app, Project: permitting("*"), Cluster: server{address: "https://dev"}, Sources: v1alpha1.ApplicationSources{web}}}
	if !r.mayBring(t.Context(), &report.Outcome{}, tg, &state.Comparison{Comparison: compare.Comparison{Rendering: &gitops.Rendering{Digest: "first"}}}) || len(app.Status.OperationState.Operation.Info) > 0 {
		t.Errorf("it has noted %+v", app.Status.OperationState.Operation.Info)
	}
}
