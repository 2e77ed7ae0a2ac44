package application

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/journal"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

var (
	web = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/web", Path: "deploy", TargetRevision: "main"}
	db  = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/db", Path: "deploy", TargetRevision: "main"}
)

func with(s v1alpha1.ApplicationSource, revision string) v1alpha1.ApplicationSource {
	s.TargetRevision = revision
	return s
}

func TestAttempted(t *testing.T) {
	one := opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}}
	two := opstate.Wanted{Sources: v1alpha1.ApplicationSources{web, db}, Revisions: []string{"abc", "def"}, Multiple: true}
	cases := map[string]struct {
		reason string
		want   opstate.Wanted
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
		"no source":      {"nothing to compare is no panic", opstate.Wanted{}, &v1alpha1.SyncOperationResult{}, true},
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
			if diff := cmp.Diff(c.want, opstate.LastSync(app)); diff != "" {
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
		if got := opstate.After(app, at).Sub(at); got != tc.wants {
			t.Errorf("%s: %s: it begins %s from now", name, tc.reason, got)
		}
	}
}

func TestOperationSources(t *testing.T) {
	cases := map[string]struct {
		reason    string
		spec      v1alpha1.ApplicationSpec
		op        *v1alpha1.SyncOperation
		automated bool
		want      v1alpha1.ApplicationSources
	}{
		"plain":     {"one that names nothing goes by the spec", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Prune: true}, false, nil},
		"automated": {"an automated one names what the spec resolved to", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Revision: "abc"}, true, nil},
		"revision":  {"another revision of the spec's source", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Revision: "abc"}, false, v1alpha1.ApplicationSources{with(web, "abc")}},
		"source":    {"a roll-back brings its source", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Source: &db, Revision: "abc"}, false, v1alpha1.ApplicationSources{with(db, "abc")}},
		"sources": {"or several", v1alpha1.ApplicationSpec{Sources: v1alpha1.ApplicationSources{web}}, &v1alpha1.SyncOperation{Sources: v1alpha1.ApplicationSources{db, web}, Revisions: []string{"abc", "def"}}, false,
			v1alpha1.ApplicationSources{with(db, "abc"), with(web, "def")}},
		"some": {"a source whose revision is not named keeps the spec's", v1alpha1.ApplicationSpec{Sources: v1alpha1.ApplicationSources{web, db}}, &v1alpha1.SyncOperation{Revisions: []string{"", "def"}}, false,
			v1alpha1.ApplicationSources{web, with(db, "def")}},
		"too many": {"revisions without a source are of no use", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Revisions: []string{"abc", "def"}}, false, v1alpha1.ApplicationSources{with(web, "abc")}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: c.spec}
			app.Status.OperationState = &v1alpha1.OperationState{}
			app.Status.OperationState.Operation.InitiatedBy.Automated = c.automated
			before := app.DeepCopy()
			got := operationSources(app, c.op)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			if diff := cmp.Diff(before, app); diff != "" {
				t.Errorf("%s: the application was changed (-before +after):\n%s", c.reason, diff)
			}
		})
	}
}

func TestStartAutomated(t *testing.T) {
	on := &v1alpha1.SyncPolicyAutomated{Prune: ptr(true)}
	cases := map[string]struct {
		reason string
		policy *v1alpha1.SyncPolicy
		wanted opstate.Wanted
		want   v1alpha1.Operation
	}{
		"plain": {"five retries are Argo CD's", &v1alpha1.SyncPolicy{Automated: on}, opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}},
			v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true, Revision: "abc"}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Retry: v1alpha1.RetryStrategy{Limit: 5}}},
		"own retry": {"the user's retries count, also none", &v1alpha1.SyncPolicy{Automated: on, Retry: &v1alpha1.RetryStrategy{}}, opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}},
			v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true, Revision: "abc"}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true}}},
		"several": {"several sources have a revision each", &v1alpha1.SyncPolicy{Automated: on}, opstate.Wanted{Sources: v1alpha1.ApplicationSources{web, db}, Revisions: []string{"abc", "def"}, Multiple: true},
			v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true, Revisions: []string{"abc", "def"}}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Retry: v1alpha1.RetryStrategy{Limit: 5}}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Spec.SyncPolicy = c.policy
			opstate.StartAutomated(app, c.wanted, 0, at)
			st := app.Status.OperationState
			if diff := cmp.Diff(c.want, st.Operation); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			if !app.Status.OperationState.Runs() || !c.wanted.Attempted(opstate.LastSync(app)) {
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
			if op := opstate.Requested(app); op != nil {
				got = opstate.Info(op.Info, gitops.InfoRequest)
			}
			if got != c.want {
				t.Errorf("%s: it is %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

// TestNothingIsSlippedUnderWhatRuns: manifests and a way back that are asked for meanwhile
// are not those of the operation that runs.
func TestNothingIsSlippedUnderWhatRuns(t *testing.T) {
	for name, op := range map[string]v1alpha1.Operation{
		"manifests": {Sync: &v1alpha1.SyncOperation{Manifests: []string{localYAM}}},
		"rollback":  {Sync: &v1alpha1.SyncOperation{Source: &web}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}}},
	} {
		t.Run(name, func(t *testing.T) {
			tg, err := backTo(t, permitting("*"), nil, func(k *history.Kept) { k.Sync.Origin = &history.Origin{} })
			if err != nil || tg.Brought == nil {
				t.Fatalf("a rollback brings nothing back: %v", err)
			}
			app := tg.App
			app.Operation = &op
			app.Status.OperationState.Operation.Info = nil // an ordinary sync
			r := &Reconciler{journal: journal.NewJournal(keeping{}, nil), seen: newSeen()}
			tg = &state.Target{Subject: state.Subject{App: app, Project: permitting("*"), Sources: app.Spec.GetSources()}}
			if err := r.returning(t.Context(), tg); err != nil || tg.Brought != nil || tg.Unfit != nil {
				t.Errorf("it goes on with %+v: %v, %v", tg.Brought, err, tg.Unfit)
			}
		})
	}
}

func TestStartRequestedConsumesTheRequest(t *testing.T) {
	app := &v1alpha1.Application{Operation: &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true}}}
	opstate.StartRequested(app, opstate.Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"abc"}}, at)
	if app.Operation != nil {
		t.Error("the request is still there, so it would run again")
	}
	if !app.Status.OperationState.Runs() || !app.Status.OperationState.Operation.Sync.Prune {
		t.Errorf("what runs is not what was asked for: %+v", app.Status.OperationState)
	}
}

func TestOnly(t *testing.T) {
	web := gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	cases := map[string]struct {
		reason string
		named  []v1alpha1.SyncOperationResource
		want   bool
	}{
		"named":           {"the object itself", []v1alpha1.SyncOperationResource{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}, true},
		"any namespace":   {"without a namespace it is meant wherever it is", []v1alpha1.SyncOperationResource{{Group: "apps", Kind: "Deployment", Name: "web"}}, true},
		"other namespace": {"its namesake elsewhere", []v1alpha1.SyncOperationResource{{Group: "apps", Kind: "Deployment", Namespace: "test", Name: "web"}}, false},
		"other group":     {"a kind of the same name", []v1alpha1.SyncOperationResource{{Kind: "Deployment", Namespace: "shop", Name: "web"}}, false},
		"second":          {"one of several", []v1alpha1.SyncOperationResource{{Kind: "Service", Name: "web"}, {Group: "apps", Kind: "Deployment", Name: "web"}}, true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := only(c.named)(web); got != c.want {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.want)
			}
		})
	}
	if only(nil) != nil {
		t.Error("a sync that names nothing must not be partial: a partial one runs no hooks")
	}
}
