package application

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/journal"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/report"
)

func TestHealsStrays(t *testing.T) {
	cases := map[string]struct {
		reason string
		action gitops.Action
		want   bool
	}{
		"stray":    {"what Git does not have goes", gitops.Action{Live: &gitops.Live{}}, true},
		"deleting": {"what is going already needs no second sync", gitops.Action{Live: &gitops.Live{Deleting: true}}, false},
		"missing":  {"what is not there comes back", gitops.Action{Desired: &gitops.Manifest{}}, true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := heals(&c.action, true); got != c.want {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.want)
			}
		})
	}
}

// somewhere is a cluster that is only named.
type somewhere struct{ state.Cluster }

func (somewhere) Desc() gitops.Cluster { return gitops.Cluster{Name: "dev"} }

// written is a history that keeps the last of what it is told of each sync.
type written map[string]history.Sync

func (w written) Sync(s history.Sync)                        { w[s.ID] = s }
func (written) Rendering(*gitops.Rendering)                  {}
func (written) Health(history.App, string, []history.Change) {}
func (written) Step(history.Step)                            {}
func (written) Began(context.Context, history.App, string, time.Time) (bool, error) {
	return false, nil
}
func (w written) Passed(_ context.Context, _ history.App, sync string, _ time.Time) (bool, error) {
	return !w[sync].Finished.IsZero(), nil
}
func (written) Kept(context.Context, string) (*history.Kept, error) { return nil, nil } //nolint:nilnil // not asked

func TestSupersededSyncIsClosed(t *testing.T) {
	w := written{}
	r := &Reconciler{Options: Options{Now: func() time.Time { return at.Add(time.Minute) }}, journal: journal.NewJournal(w, func() time.Time { return at.Add(time.Minute) })}
	app := &v1alpha1.Application{}
	app.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
	target := &state.Target{Subject: state.Subject{App: app, Cluster: somewhere{}}}
	old := opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"0000001"}}
	opstate.StartAutomated(app, old, 0, at)
	r.journal.Open(target).Sync.Message = "waiting for Deployment web"
	former := r.journal.Open(target).Sync.ID

	c := &state.Comparison{Wanted: opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"0000002"}}, Comparison: compare.Comparison{Plan: &gitops.Plan{
		Sync: gitops.OutOfSync, Waves: []gitops.Wave{{Actions: []gitops.Action{{Verb: gitops.Create, Desired: &gitops.Manifest{}}}}},
	}}}
	r.supersede(target, c, at.Add(time.Minute))
	s, ok := w[former]
	if !ok || s.Phase != journal.PhaseSuperseded || !s.Finished.Equal(at.Add(time.Minute)) || s.Message != "superseded by the sync to 0000002; before: waiting for Deployment web" {
		t.Errorf("the former sync is not closed: %+v", s)
	}
	if now := r.journal.Open(target).Sync; now.ID == former || !now.Finished.IsZero() {
		t.Errorf("the newer sync has no trail of its own: %+v", now)
	}
}

// TestSyncThatIsTakenOverIsClosed: a request that takes the place of what runs ends that in
// the history, too, where it would run for ever.
func TestSyncThatIsTakenOverIsClosed(t *testing.T) {
	for name, by := range map[string]v1alpha1.OperationInitiator{
		"the next revision of a roll-out": {Automated: true, Username: v1alpha1.ApplicationSetInitiator},
		"a request of a person":           {Username: "ann"},
	} {
		t.Run(name, func(t *testing.T) {
			w, now := written{}, at
			clock := func() time.Time { return now }
			r := &Reconciler{Options: Options{Now: clock}, journal: journal.NewJournal(w, clock)}
			app := &v1alpha1.Application{}
			if !by.Automated { // it waits for what it depends on
				app.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDependencyWaiting}}
			}
			op := v1alpha1.Operation{InitiatedBy: by, Sync: &v1alpha1.SyncOperation{Revision: "0000001"}}
			wanted := opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"0000001"}}
			app.Status.OperationState = opstate.Begin(op, wanted, at)
			target := &state.Target{Subject: state.Subject{App: app, Cluster: somewhere{}}}
			former := r.journal.Open(target).Sync.ID
			r.journal.Advance(target, nil)

			now, app.Operation = at.Add(time.Minute), op.DeepCopy()
			app.Operation.Sync.Revision, wanted.Revisions = "0000002", []string{"0000002"}
			c := &state.Comparison{Wanted: wanted, Comparison: compare.Comparison{Plan: &gitops.Plan{}}}
			if _, err := r.decide(t.Context(), &report.Outcome{}, target, c); err != nil || app.Operation != nil {
				t.Fatalf("it does not take over: %v", err)
			}
			if s := w[former]; s.Phase != journal.PhaseSuperseded || !s.Finished.Equal(now) || s.Message != "superseded by the sync to 0000002" {
				t.Errorf("the former sync is %q since %s, %q", s.Phase, s.Finished, s.Message)
			}
		})
	}
}

// TestYields is about which automated operation gives way to what the sources say now.
func TestYields(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, message, digest, revision string
		rollback                          bool
		want                              bool
	}{
		"Newer":     {"a fix must not wait for the fault", "waiting for Deployment web", "new", "0000003", false, true},
		"Same":      {"it is at that", "waiting for Deployment web", "new", "0000001", false, false},
		"Rollback":  {"what works comes back first", "waiting for Deployment web", "new", "0000003", true, false},
		"Held":      {"nothing of it is done", denied + "8 objects", "new", "0000003", true, true},
		"HeldBack":  {"what failed is not tried again for that", denied + "8 objects", "failed", "0000002", true, false},
		"Elsewhere": {"nor is a commit that changes nothing of it", denied + "8 objects", "failed", "0000003", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Operation: v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true}}}
			if tc.rollback {
				app = rollingBack(at)
				opstate.Pin(&app.Status.OperationState.Operation, "failed", []string{"0000002"})
			}
			app.Status.OperationState.Message = tc.message
			app.Status.OperationState.SyncResult = &v1alpha1.SyncOperationResult{Source: web, Revision: "0000001"}
			c := &state.Comparison{
				Wanted:     opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{tc.revision}},
				Comparison: compare.Comparison{Rendering: &gitops.Rendering{Digest: tc.digest}, Plan: &gitops.Plan{Sync: gitops.OutOfSync}},
			}
			if got := yields(app, c); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

func TestFailureNamesTheRevisionThatFailed(t *testing.T) {
	app := func(message string, info ...v1alpha1.Info) *v1alpha1.Application {
		a := &v1alpha1.Application{}
		a.Status.OperationState = &v1alpha1.OperationState{Message: message, SyncResult: &v1alpha1.SyncOperationResult{Revision: "90a8ddc0e4b2f5a6c7d8e9f00112233445566778"}}
		a.Status.OperationState.Operation.Info = info
		return a
	}
	because := v1alpha1.Info{Name: gitops.InfoFailure, Value: "sync to 1f5479d failed: no luck"}
	cases := map[string]struct {
		reason string
		app    *v1alpha1.Application
		want   string
	}{
		"sync":        {"an ordinary one failed itself", app("no luck"), "Failed last sync attempt to 90a8ddc: no luck"},
		"rolled back": {"the one that was undone failed", app("rolled back to 90a8ddc: sync to 1f5479d failed: no luck", because), "Last sync attempt was rolled back to 90a8ddc: sync to 1f5479d failed: no luck"},
		"no way back": {"both failed", app("denied", because), "Failed to roll back to 90a8ddc: denied; before that, sync to 1f5479d failed: no luck"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := failureText(c.app); got != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

func TestAtomicSyncThatSucceededNeedsNoWayBack(t *testing.T) {
	app := &v1alpha1.Application{}
	opstate.StartAutomated(app, opstate.Wanted{Revisions: []string{"abc"}}, 0, at)
	app.Status.OperationState.Phase, app.Status.OperationState.Message = v1alpha1.OperationSucceeded, "successfully synced"
	(&Reconciler{}).restore(nil, &state.Target{Subject: state.Subject{App: app}, WaveTime: time.Minute}, &state.Attempt{}, nil)
	if got := app.Status.OperationState.Message; strings.Contains(got, "no earlier sync") {
		t.Errorf("it says %q", got)
	}
}

// TestWindowThatOpensMeanwhile: one look has one time. By a second one a window that opens
// between both is closed, and next opens when it has closed again.
func TestWindowThatOpensMeanwhile(t *testing.T) {
	asked := 0
	r := &Reconciler{Options: Options{Now: func() time.Time { asked++; return at.Add(time.Duration(asked-2) * time.Minute) }}}
	opens := &v1alpha1.SyncWindow{Kind: "allow", Schedule: "30 10 * * *", Duration: "1h", Applications: []string{"*"}}
	project := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SyncWindows: v1alpha1.SyncWindows{opens}}}
	if r.windowOpen(t.Context(), &report.Outcome{}, &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Project: project}}) || asked != 1 {
		t.Errorf("it is open a minute before, or the time was asked for %d times", asked)
	}
}
