package opstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var rollOut = v1alpha1.OperationInitiator{Automated: true, Username: v1alpha1.ApplicationSetInitiator}

// TestRollOutKeepsToItsRevisions: later ones have to go through the steps before.
func TestRollOutKeepsToItsRevisions(t *testing.T) {
	one := Wanted{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"new"}}
	two := Wanted{Sources: v1alpha1.ApplicationSources{web, db}, Revisions: []string{"new", "newer"}, Multiple: true}
	cases := map[string]struct {
		reason string
		wanted Wanted
		by     v1alpha1.OperationInitiator
		sync   *v1alpha1.SyncOperation
		want   []string
	}{
		"named":     {"it names what it rolls out", one, rollOut, &v1alpha1.SyncOperation{Revision: "old"}, []string{"old"}},
		"several":   {"one of each source", two, rollOut, &v1alpha1.SyncOperation{Revisions: []string{"old", "older"}}, []string{"old", "older"}},
		"too few":   {"a source came since: which revisions are meant is not known", two, rollOut, &v1alpha1.SyncOperation{Revisions: []string{"old"}}, []string{"new", "newer"}},
		"became":    {"the Application has one source now", one, rollOut, &v1alpha1.SyncOperation{Revisions: []string{"old", "older"}}, []string{"new"}},
		"unnamed":   {"it names nothing", one, rollOut, &v1alpha1.SyncOperation{}, []string{"new"}},
		"no sync":   {"it says nothing of a sync", one, rollOut, nil, []string{"new"}},
		"automated": {"an automated sync goes to what there is", one, v1alpha1.OperationInitiator{Automated: true}, &v1alpha1.SyncOperation{Revision: "old"}, []string{"new"}},
		"claimed":   {"so does a person of the name", one, v1alpha1.OperationInitiator{Username: v1alpha1.ApplicationSetInitiator}, &v1alpha1.SyncOperation{Revision: "old"}, []string{"new"}},
		"nothing":   {"there is no source", Wanted{}, rollOut, &v1alpha1.SyncOperation{Revision: "old"}, nil},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			before := append([]string(nil), tc.wanted.Revisions...)
			got := tc.wanted.Of(v1alpha1.Operation{InitiatedBy: tc.by, Sync: tc.sync}).Revisions
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, tc.wanted.Revisions); diff != "" {
				t.Errorf("%s: what is wanted was changed (-before +after):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNamed: an operation may mean just what was compared, or something else.
func TestNamed(t *testing.T) {
	one, two := Wanted{Revisions: []string{"a"}}, Wanted{Revisions: []string{"a", "b"}, Multiple: true}
	for name, tc := range map[string]struct {
		reason string
		wanted Wanted
		op     v1alpha1.SyncOperation
		want   bool
	}{
		"one":     {"the revision", one, v1alpha1.SyncOperation{Revision: "a"}, true},
		"other":   {"another one", one, v1alpha1.SyncOperation{Revision: "b"}, false},
		"none":    {"none at all", one, v1alpha1.SyncOperation{}, false},
		"several": {"each of them", two, v1alpha1.SyncOperation{Revisions: []string{"a", "b"}}, true},
		"order":   {"each in its place", two, v1alpha1.SyncOperation{Revisions: []string{"b", "a"}}, false},
		"first":   {"the first is not all", two, v1alpha1.SyncOperation{Revision: "a"}, false},
	} {
		if got := tc.wanted.Named(&tc.op); got != tc.want {
			t.Errorf("%s: %s: got %t", name, tc.reason, got)
		}
	}
}

// TestTakesOver is about requests that do not wait for what runs.
func TestTakesOver(t *testing.T) {
	person := v1alpha1.OperationInitiator{Username: "ann"}
	waits := []v1alpha1.ApplicationCondition{{Type: v1alpha1.ApplicationConditionDependencyWaiting}}
	wrote := &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{{Kind: "ConfigMap", Name: "a"}}}
	cases := map[string]struct {
		reason      string
		runs, asked v1alpha1.OperationInitiator
		conditions  []v1alpha1.ApplicationCondition
		result      *v1alpha1.SyncOperationResult
		phase       v1alpha1.OperationPhase
		want        bool
	}{
		"next":        {"the next revision of a roll-out", rollOut, rollOut, nil, wrote, v1alpha1.OperationRunning, true},
		"person":      {"a person waits for a roll-out", rollOut, person, nil, wrote, v1alpha1.OperationRunning, false},
		"of a person": {"a roll-out waits for a person", person, rollOut, nil, wrote, v1alpha1.OperationRunning, false},
		"waiting":     {"nothing of it is done, and it only waits", person, person, waits, &v1alpha1.SyncOperationResult{}, v1alpha1.OperationRunning, true},
		"half":        {"something of it is done: a wave waits", person, person, waits, wrote, v1alpha1.OperationRunning, false},
		"busy":        {"it waits for nothing", person, person, nil, nil, v1alpha1.OperationRunning, false},
		"over":        {"there is nothing to take over", rollOut, rollOut, waits, nil, v1alpha1.OperationSucceeded, false},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{Operation: &v1alpha1.Operation{InitiatedBy: tc.asked}}
			app.Status.Conditions = tc.conditions
			app.Status.OperationState = &v1alpha1.OperationState{Phase: tc.phase, SyncResult: tc.result, Operation: v1alpha1.Operation{InitiatedBy: tc.runs}}
			if got := TakesOver(app); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
			if app.Operation = nil; TakesOver(app) {
				t.Errorf("%s: nothing takes over", tc.reason)
			}
		})
	}
}

// TestRenew: whoever writes a status may have an operation bear the time of a sync that is over.
func TestRenew(t *testing.T) {
	entry := func(began time.Time) v1alpha1.RevisionHistory {
		at := Seconds(began)
		return v1alpha1.RevisionHistory{DeployStartedAt: &at}
	}
	cases := map[string]struct {
		reason  string
		phase   v1alpha1.OperationPhase
		history v1alpha1.RevisionHistories
		now     time.Time
		want    time.Time
	}{
		"its own":   {"no sync has that time", v1alpha1.OperationRunning, v1alpha1.RevisionHistories{entry(at.Add(-time.Hour)), {}}, at.Add(time.Hour), at},
		"of one":    {"it begins now", v1alpha1.OperationRunning, v1alpha1.RevisionHistories{entry(at), entry(at.Add(time.Minute))}, at.Add(time.Hour), at.Add(time.Hour)},
		"just now":  {"and in another second", v1alpha1.OperationRunning, v1alpha1.RevisionHistories{entry(at)}, at, at.Add(time.Second)},
		"over":      {"what does not run is left alone", v1alpha1.OperationSucceeded, v1alpha1.RevisionHistories{entry(at)}, at.Add(time.Hour), at},
		"terminate": {"what is being ended runs", v1alpha1.OperationTerminating, v1alpha1.RevisionHistories{entry(at)}, at.Add(time.Hour), at.Add(time.Hour)},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Status.History, app.Status.OperationState = tc.history, &v1alpha1.OperationState{Phase: tc.phase, StartedAt: Seconds(at)}
			if Renew(app, tc.now); !app.Status.OperationState.StartedAt.Time.Equal(tc.want) {
				t.Errorf("%s: it began at %s, want %s", tc.reason, app.Status.OperationState.StartedAt, tc.want)
			}
		})
	}
	Renew(&v1alpha1.Application{}, at) // nothing was ever synced
}

// TestFree is about what does not wait for dependencies.
func TestFree(t *testing.T) {
	told := func(value string) v1alpha1.Operation {
		return v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, Info: []v1alpha1.Info{{Name: gitops.InfoIgnoreDependencies, Value: value}}}
	}
	for name, tc := range map[string]struct {
		reason string
		op     v1alpha1.Operation
		want   bool
	}{
		"sync":    {"an ordinary one waits", v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}}, false},
		"no sync": {"so does one that says nothing", v1alpha1.Operation{}, false},
		"heal":    {"drift is undone at once", v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{SelfHealAttemptsCount: 1}}, true},
		"dry run": {"it changes nothing", v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{DryRun: true}}, true},
		"told":    {"it was told not to wait", told("true"), true},
		"not so":  {"it was told to", told("false"), false},
	} {
		if got := Free(&v1alpha1.OperationState{Operation: tc.op}); got != tc.want {
			t.Errorf("%s: %s: got %t", name, tc.reason, got)
		}
	}
}

// TestAgain: the next try tells nothing of what the last one did to its objects; one that
// goes on keeps it.
func TestAgain(t *testing.T) {
	ended := Seconds(at)
	for name, tc := range map[string]struct {
		st   v1alpha1.OperationState
		kept int
	}{
		"failed":  {v1alpha1.OperationState{FinishedAt: &ended, SyncResult: &v1alpha1.SyncOperationResult{Resources: make(v1alpha1.ResourceResults, 2)}}, 0},
		"goes on": {v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: make(v1alpha1.ResourceResults, 2)}}, 2},
		"forged":  {v1alpha1.OperationState{FinishedAt: &ended}, 0},
	} {
		if Again(&tc.st); tc.st.FinishedAt != nil || tc.st.SyncResult != nil && len(tc.st.SyncResult.Resources) != tc.kept {
			t.Errorf("%s: it goes on with %+v", name, tc.st)
		}
	}
}
