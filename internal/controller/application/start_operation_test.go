package application

import (
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestNewRevisionStarts a sync where there is something that automation may do, and never one that deletes all.
func TestNewRevisionStarts(t *testing.T) {
	live := &gitops.Live{}
	changes := gitops.Action{Verb: gitops.Update, Desired: &gitops.Manifest{}, Live: live, Sync: gitops.OutOfSync}
	goes := gitops.Action{Verb: gitops.Prune, Live: live, Sync: gitops.OutOfSync}
	same := gitops.Action{Verb: gitops.Keep, Desired: &gitops.Manifest{}, Live: live, Sync: gitops.Synced}
	automated := func(a v1alpha1.SyncPolicyAutomated) *v1alpha1.SyncPolicy { return &v1alpha1.SyncPolicy{Automated: &a} }
	yes := true
	for name, tc := range map[string]struct {
		reason  string
		policy  *v1alpha1.SyncPolicy
		sync    gitops.SyncCode
		actions []gitops.Action
		starts  bool
		held    bool
	}{
		"Change":   {"an object changes", automated(v1alpha1.SyncPolicyAutomated{}), gitops.OutOfSync, []gitops.Action{changes, same}, true, false},
		"Synced":   {"nothing is to be done", automated(v1alpha1.SyncPolicyAutomated{}), gitops.Synced, []gitops.Action{same}, false, false},
		"Left":     {"it may not prune, and nothing else differs", automated(v1alpha1.SyncPolicyAutomated{}), gitops.OutOfSync, []gitops.Action{goes, same}, false, false},
		"Beside":   {"it may not prune, and something else differs", automated(v1alpha1.SyncPolicyAutomated{}), gitops.OutOfSync, []gitops.Action{goes, changes}, true, false},
		"Prune":    {"it may prune", automated(v1alpha1.SyncPolicyAutomated{Prune: &yes}), gitops.OutOfSync, []gitops.Action{goes, same}, true, false},
		"Empty":    {"a wrong path must not delete all", automated(v1alpha1.SyncPolicyAutomated{Prune: &yes}), gitops.OutOfSync, []gitops.Action{goes}, false, true},
		"AllEmpty": {"unless that is said", automated(v1alpha1.SyncPolicyAutomated{Prune: &yes, AllowEmpty: &yes}), gitops.OutOfSync, []gitops.Action{goes}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &web, SyncPolicy: tc.policy}}
			c := &state.Comparison{Comparison: compare.Comparison{Plan: &gitops.Plan{Sync: tc.sync, Waves: []gitops.Wave{{Actions: tc.actions}}}}}
			c.Sources, c.Revisions = v1alpha1.ApplicationSources{web}, []string{"abc"}
			startNew(&state.Target{Subject: state.Subject{App: app}}, c, at)
			if got := app.Status.OperationState.Runs(); got != tc.starts || (c.Withheld != "") != tc.held {
				t.Errorf("%s: it starts: %t; withheld: %q", tc.reason, got, c.Withheld)
			}
		})
	}
}

// TestWhatGivesWay: automation does to a new revision, and a rollback only where its deletions are held.
func TestWhatGivesWay(t *testing.T) {
	now := func(revision, digest string) *state.Comparison {
		c := &state.Comparison{Comparison: compare.Comparison{Plan: &gitops.Plan{}, Rendering: &gitops.Rendering{Digest: digest}}}
		c.Sources, c.Revisions = v1alpha1.ApplicationSources{web}, []string{revision}
		return c
	}
	for name, tc := range map[string]struct {
		reason string
		change func(st *v1alpha1.OperationState)
		now    *state.Comparison
		want   bool
	}{
		"Newer":       {"a fix must not wait for the fault", nil, now("new", "new"), true},
		"Same":        {"it is what runs", nil, now("old", "old"), false},
		"Person":      {"somebody asked for that revision", func(st *v1alpha1.OperationState) { st.Operation.InitiatedBy.Automated = false }, now("new", "new"), false},
		"Terminating": {"it ends already", func(st *v1alpha1.OperationState) { st.Phase = v1alpha1.OperationTerminating }, now("new", "new"), false},
		"Over":        {"it has ended", func(st *v1alpha1.OperationState) { st.Phase = v1alpha1.OperationFailed }, now("new", "new"), false},
		"Rollback":    {"what comes back comes back whole", rollsBack("syncing"), now("new", "new"), false},
		"Held":        {"nobody means to approve what it deletes", rollsBack(denied + "3 objects"), now("new", "new"), true},
		"Undone":      {"what it undoes does not take its place", rollsBack(denied + "3 objects"), now("new", "undone"), false},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &web}}
			app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, SyncResult: &v1alpha1.SyncOperationResult{Revision: "old", Source: web}}
			app.Status.OperationState.Operation.InitiatedBy.Automated = true
			if tc.change != nil {
				tc.change(app.Status.OperationState)
			}
			if got := yields(app, tc.now); got != tc.want {
				t.Errorf("%s: it gives way: %t", tc.reason, got)
			}
		})
	}
}

// rollsBack makes an operation an automatic rollback that says something.
func rollsBack(message string) func(st *v1alpha1.OperationState) {
	return func(st *v1alpha1.OperationState) {
		st.Message = message
		st.Operation.Info = []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}, {Name: gitops.InfoHeldDigest, Value: "undone"}}
	}
}

// TestWavesKeepTheirTime over a start of the engine, and what is no time of this wave gives it none.
func TestWavesKeepTheirTime(t *testing.T) {
	began := at.Add(-time.Minute)
	for name, tc := range map[string]struct {
		reason, noted string
		want          time.Time
	}{
		"First":  {"it is waited for from now on", "", at},
		"Again":  {"an engine that starts again gives it no more", "try 0 wave 2 since " + began.Format(time.RFC3339), began},
		"Next":   {"another wave has a time of its own", "try 0 wave 1 since " + began.Format(time.RFC3339), at},
		"Retry":  {"so has another try", "try 1 wave 2 since " + began.Format(time.RFC3339), at},
		"Broken": {"what is no time is none", "try 0 wave 2 since ever", at},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.OperationState = &v1alpha1.OperationState{}
			op := &app.Status.OperationState.Operation
			if tc.noted != "" {
				op.Info = []v1alpha1.Info{{Name: gitops.InfoWave, Value: tc.noted}}
			}
			tg, a := &state.Target{Subject: state.Subject{App: app}}, &state.Attempt{}
			a.Progress.Waves = 2
			for _, now := range []time.Time{at, at.Add(time.Hour)} { // it is noted at the first look
				if got := since(tg, a, now); !got.Equal(tc.want) {
					t.Errorf("%s: since %s, want %s", tc.reason, got, tc.want)
				}
			}
			if len(op.Info) != 1 || !strings.HasPrefix(op.Info[0].Value, "try 0 wave 2 since 2026-05-04T") {
				t.Errorf("%s: it has noted %+v", tc.reason, op.Info)
			}
		})
	}
}

// TestRollbackComesAtOnce: the objects of all waves in their order and in one, and what the failed sync made goes last.
func TestRollbackComesAtOnce(t *testing.T) {
	named := func(name string, step int) gitops.Action {
		return gitops.Action{Verb: gitops.Update, Key: gitops.Key{Kind: "ConfigMap", Name: name}, Step: step, Desired: &gitops.Manifest{}}
	}
	gone := func(name string, made time.Time) gitops.Action {
		return gitops.Action{Verb: gitops.Prune, Key: gitops.Key{Kind: "ConfigMap", Name: name}, Live: &gitops.Live{Created: made}}
	}
	planned := func() *gitops.Plan {
		return &gitops.Plan{Waves: []gitops.Wave{
			{Number: -1, Actions: []gitops.Action{gone("made", at.Add(time.Hour)), named("a", 0), named("b", 1)}}, {Number: 5, Actions: []gitops.Action{named("c", 0), gone("older", at.Add(-time.Hour))}},
		}}
	}
	app, p := rollingBack(at), planned()
	app.Status.OperationState.Operation.Info = append(app.Status.OperationState.Operation.Info, v1alpha1.Info{Name: gitops.InfoSince, Value: at.Format(time.RFC3339)})
	atOnce(app, p)
	type told struct {
		name string
		step int
		verb gitops.Verb
	}
	want := []told{{"a", 0, gitops.Update}, {"b", 1, gitops.Update}, {"c", 2, gitops.Update}, {"made", 3, gitops.Prune}, {"older", 3, gitops.Skip}}
	if len(p.Waves) != 1 || len(p.Waves[0].Actions) != len(want) {
		t.Fatalf("it has the waves %+v", p.Waves)
	}
	for i, a := range p.Waves[0].Actions {
		if got := (told{a.Key.Name, a.Step, a.Verb}); got != want[i] {
			t.Errorf("action %d is %v, want %v", i, got, want[i])
		}
	}
	p = planned()
	if atOnce(&v1alpha1.Application{}, p); len(p.Waves) != 2 {
		t.Error("a sync that is no rollback has lost its waves")
	}
}
