package opstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var (
	web = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/web", Path: "deploy", TargetRevision: "main"}
	db  = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/db", Path: "deploy", TargetRevision: "main"}
)

func TestAttempted(t *testing.T) {
	one := Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}}
	two := Wanted{Sources: v1alpha1.ApplicationSources{web, db}, Revisions: []string{"abc", "def"}, Multiple: true}
	cases := map[string]struct {
		reason string
		want   Wanted
		last   *v1alpha1.SyncOperationResult
		tried  bool
	}{
		"never":          {"no operation has run", one, nil, false},
		"same":           {"the same revision of the same source", one, one.Result(), true},
		"new commit":     {"another revision", one, &v1alpha1.SyncOperationResult{Source: web, Revision: "old"}, false},
		"new values":     {"the same revision of a source that was edited", one, &v1alpha1.SyncOperationResult{Source: db, Revision: "abc"}, false},
		"same two":       {"all revisions and all sources", two, two.Result(), true},
		"second moved":   {"one of several revisions is new", two, &v1alpha1.SyncOperationResult{Sources: two.Sources, Revisions: []string{"abc", "old"}}, false},
		"became several": {"an application that has several sources now", two, one.Result(), false},
		"no source":      {"nothing to compare is no panic", Wanted{}, &v1alpha1.SyncOperationResult{}, true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := c.want.Attempted(c.last); got != c.tried {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.tried)
			}
		})
	}
}

func TestLastSync(t *testing.T) {
	ran := func(dry bool) *v1alpha1.OperationState {
		st := &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Revision: "new"}}
		st.Operation.Sync = &v1alpha1.SyncOperation{DryRun: dry}
		return st
	}
	history := v1alpha1.RevisionHistories{{Revision: "older"}, {Revision: "old"}}
	cases := map[string]struct {
		reason  string
		state   *v1alpha1.OperationState
		history v1alpha1.RevisionHistories
		want    *v1alpha1.SyncOperationResult
	}{
		"none":       {"nothing was synced yet", nil, nil, nil},
		"sync":       {"the operation itself tells", ran(false), history, &v1alpha1.SyncOperationResult{Revision: "new"}},
		"dry run":    {"a dry run must not keep an automated sync from its revision", ran(true), history, &v1alpha1.SyncOperationResult{Revision: "old"}},
		"first":      {"a dry run before any sync", ran(true), nil, nil},
		"other tool": {"an operation that says nothing of a sync", &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Revision: "new"}}, nil, &v1alpha1.SyncOperationResult{Revision: "new"}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.OperationState, app.Status.History = c.state, c.history
			if diff := cmp.Diff(c.want, LastSync(app)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

// TestAfter: operations begin in seconds of their own, and none by somebody else's clock.
func TestAfter(t *testing.T) {
	for name, tc := range map[string]struct {
		reason      string
		last, wants time.Duration // from now
	}{
		"earlier": {"the last one is long ago", -time.Hour, 0},
		"same":    {"two in one second", 0, time.Second},
		"several": {"more of them in a row", 3 * time.Second, 4 * time.Second},
		"written": {"anybody may write that one began at a time to come", 100 * 24 * time.Hour, 0},
	} {
		app := &v1alpha1.Application{Status: v1alpha1.ApplicationStatus{OperationState: &v1alpha1.OperationState{StartedAt: v1alpha1.NewTime(at.Add(tc.last))}}}
		if got := After(app, at).Sub(at); got != tc.wants {
			t.Errorf("%s: %s: it begins %s from now", name, tc.reason, got)
		}
	}
}

func TestStartAutomated(t *testing.T) {
	on := &v1alpha1.SyncPolicyAutomated{Prune: ptr(true)}
	cases := map[string]struct {
		reason string
		policy *v1alpha1.SyncPolicy
		wanted Wanted
		want   v1alpha1.Operation
	}{
		"plain": {"five retries are Argo CD's", &v1alpha1.SyncPolicy{Automated: on}, Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}},
			v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true, Revision: "abc"}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Retry: v1alpha1.RetryStrategy{Limit: 5}}},
		"own retry": {"the user's retries count, also none", &v1alpha1.SyncPolicy{Automated: on, Retry: &v1alpha1.RetryStrategy{}}, Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}},
			v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true, Revision: "abc"}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true}}},
		"several": {"several sources have a revision each", &v1alpha1.SyncPolicy{Automated: on}, Wanted{Sources: v1alpha1.ApplicationSources{web, db}, Revisions: []string{"abc", "def"}, Multiple: true},
			v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true, Revisions: []string{"abc", "def"}}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Retry: v1alpha1.RetryStrategy{Limit: 5}}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Spec.SyncPolicy = c.policy
			StartAutomated(app, c.wanted, 0, at)
			st := app.Status.OperationState
			if diff := cmp.Diff(c.want, st.Operation); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			if !app.Status.OperationState.Runs() || !c.wanted.Attempted(LastSync(app)) {
				t.Errorf("%s: the operation does not run, or not at what it was started for: %+v", c.reason, st)
			}
		})
	}
}

// TestRequested: what is asked for meanwhile changes nothing of what runs, not even what
// it goes back to or brings.
func TestRequested(t *testing.T) {
	named := func(name string, automated bool) v1alpha1.Operation {
		op := v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, Info: []v1alpha1.Info{{Name: gitops.InfoRequest, Value: name}}}
		if automated {
			op.InitiatedBy = v1alpha1.OperationInitiator{Automated: true, Username: v1alpha1.ApplicationSetInitiator}
		}
		return op
	}
	const runs, ended = v1alpha1.OperationRunning, v1alpha1.OperationSucceeded
	waits := []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDependencyWaiting}}
	cases := map[string]struct {
		reason     string
		phase      v1alpha1.OperationPhase
		rollsOut   bool
		asked      bool
		conditions []v1alpha1.ApplicationCondition
		want       string
	}{
		"none":        {"nothing runs, and nothing is asked for", ended, false, false, nil, ""},
		"runs":        {"it goes on", runs, false, false, nil, "running"},
		"asked":       {"it begins with this look", ended, false, true, nil, "asked"},
		"both":        {"what is asked for has to wait", runs, false, true, nil, "running"},
		"terminating": {"also until what runs is over", v1alpha1.OperationTerminating, false, true, nil, "running"},
		"waiting":     {"it takes the place of what only waits", runs, false, true, waits, "asked"},
		"rolling out": {"and of the revision before it", runs, true, true, nil, "asked"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.OperationState = &v1alpha1.OperationState{Operation: named("running", c.rollsOut), Phase: c.phase}
			app.Status.Conditions = c.conditions
			if asked := named("asked", c.rollsOut); c.asked {
				app.Operation = &asked
			}
			got := ""
			if op := Requested(app); op != nil {
				got = Info(op.Info, gitops.InfoRequest)
			}
			if got != c.want {
				t.Errorf("%s: it is %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

func TestStartRequestedConsumesTheRequest(t *testing.T) {
	app := &v1alpha1.Application{Operation: &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true}}}
	StartRequested(app, Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}}, at)
	if app.Operation != nil {
		t.Error("the request is still there, so it would run again")
	}
	if !app.Status.OperationState.Runs() || !app.Status.OperationState.Operation.Sync.Prune {
		t.Errorf("what runs is not what was asked for: %+v", app.Status.OperationState)
	}
}
