package opstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestPinThatIsCarried: what a rollback holds back is held by what comes after it, until
// somebody asks for all of it.
func TestPinThatIsCarried(t *testing.T) {
	info := func(pairs ...string) (out []v1alpha1.Info) {
		for i := 0; i+1 < len(pairs); i += 2 {
			out = append(out, v1alpha1.Info{Name: pairs[i], Value: pairs[i+1]})
		}
		return out
	}
	dry, some := v1alpha1.SyncOperation{DryRun: true}, v1alpha1.SyncOperation{Resources: []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: "a"}}}
	rolled := info(gitops.InfoRollback, "x", gitops.InfoHeldDigest, "d", gitops.InfoHeldRevision, `["two"]`)
	result := &v1alpha1.SyncOperationResult{Revision: "one", Source: web}
	carried := info(gitops.InfoHeldAt, Identity(result), gitops.InfoHeldAtRevision, "one", gitops.InfoHeldDigest, "d", gitops.InfoHeldRevision, `["two"]`)
	cases := map[string]struct {
		reason string
		former []v1alpha1.Info
		sync   *v1alpha1.SyncOperation
		info   []v1alpha1.Info
		want   []v1alpha1.Info
	}{
		"dry run":    {"it changes nothing", rolled, &dry, nil, carried},
		"part":       {"the rest was not asked for", rolled, &some, nil, carried},
		"full":       {"somebody asked", rolled, &v1alpha1.SyncOperation{}, nil, nil},
		"nothing":    {"an operation that says nothing is an ordinary one", rolled, nil, nil, nil},
		"of another": {"an earlier one is carried on", carried, &dry, nil, carried},
		"none":       {"there was no rollback", nil, &dry, nil, nil},
		"written":    {"what somebody wrote into the request does not hold", nil, &dry, info(gitops.InfoHeldAt, "forged", gitops.InfoHeldAtRevision, "z"), nil},
		"repeated":   {"nor does it where a full one repeats it", rolled, &v1alpha1.SyncOperation{}, carried[:2], nil},
		"besides":    {"what else an operation tells stays", rolled, &dry, info("reason", "test"), append(info("reason", "test"), carried...)},
		"back, part": {"a rollback of some objects holds by itself", rolled, &some, info(gitops.InfoRollback, "y", gitops.InfoHeldDigest, "own"), info(gitops.InfoRollback, "y", gitops.InfoHeldDigest, "own")},
		"back, dry":  {"one that is only tried does not", rolled, &dry, info(gitops.InfoRollback, "y", gitops.InfoHeldDigest, "own"), append(info(gitops.InfoRollback, "y"), carried...)},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{Operation: &v1alpha1.Operation{Sync: tc.sync, Info: tc.info}}
			app.Status.OperationState = &v1alpha1.OperationState{Phase: v1alpha1.OperationSucceeded, SyncResult: result, Operation: v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, Info: tc.former}}
			StartRequested(app, Wanted{}, at)
			got := app.Status.OperationState.Operation.Info
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWentBack tells what a rollback went back to; a dry run went nowhere.
func TestWentBack(t *testing.T) {
	back := func(dry bool) *v1alpha1.OperationState {
		return &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Revision: "one"}, Operation: v1alpha1.Operation{
			Sync: &v1alpha1.SyncOperation{DryRun: dry}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "x"}},
		}}
	}
	if id, revision := WentBack(back(false)); id != Identity(&v1alpha1.SyncOperationResult{Revision: "one"}) || revision != "one" {
		t.Errorf("it went back to %s, %s", id, revision)
	}
	for name, st := range map[string]*v1alpha1.OperationState{"none": nil, "sync": {}, "dry run": back(true)} {
		if id, revision := WentBack(st); id+revision != "" {
			t.Errorf("%s: it went back to %s, %s", name, id, revision)
		}
	}
	op := &v1alpha1.Operation{}
	if Pin(op, "d", nil); len(op.Info) != 1 {
		t.Errorf("without revisions it holds %v", op.Info)
	}
}

// TestIdentity tells syncs apart by all of their sources and revisions, and by nothing else.
func TestIdentity(t *testing.T) {
	seen := map[string]string{}
	for name, s := range map[string]*v1alpha1.SyncOperationResult{
		"none": nil, "one": {Source: web, Revision: "a"}, "other revision": {Source: web, Revision: "b"}, "other source": {Source: db, Revision: "a"},
		"two": {Sources: v1alpha1.ApplicationSources{web, db}, Revisions: []string{"a", "b"}}, "turned": {Sources: v1alpha1.ApplicationSources{web, db}, Revisions: []string{"b", "a"}},
	} {
		id := Identity(s)
		if seen[id] != "" {
			t.Errorf("%s is taken for %s", name, seen[id])
		}
		seen[id] = name
	}
	if Identity(&v1alpha1.SyncOperationResult{Revision: "a"}) != Identity(&v1alpha1.SyncOperationResult{Revision: "a", Resources: make(v1alpha1.ResourceResults, 1)}) {
		t.Error("what became of objects makes another sync of it")
	}
}

// TestLastGood is what an atomic sync goes back to.
func TestLastGood(t *testing.T) {
	began := Seconds(at)
	entry := func(revision string) v1alpha1.RevisionHistory {
		return v1alpha1.RevisionHistory{Revision: revision, Source: web, DeployStartedAt: &began}
	}
	failed := &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Revision: "new", Source: web}}
	cases := map[string]struct {
		reason  string
		history v1alpha1.RevisionHistories
		want    string
	}{
		"none":      {"nothing was ever synced", nil, ""},
		"last":      {"what was there before", v1alpha1.RevisionHistories{entry("older"), entry("old")}, "old"},
		"same":      {"what has just failed is no way back, and what was before that neither", v1alpha1.RevisionHistories{entry("old"), entry("new")}, ""},
		"same, two": {"with several sources it is another", v1alpha1.RevisionHistories{{Sources: v1alpha1.ApplicationSources{web}, Revisions: []string{"new"}, DeployStartedAt: &began}}, "[new]"},
		"no time":   {"which sync it was is not known", v1alpha1.RevisionHistories{{Revision: "old", Source: web}}, ""},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{Status: v1alpha1.ApplicationStatus{History: tc.history}}
			got := ""
			if h := LastGood(app, failed); h != nil {
				if got = h.Revision; h.Sources != nil {
					got = "[" + h.Revisions[0] + "]"
				}
			}
			if got != tc.want {
				t.Errorf("%s: it goes back to %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestRestoring: a rollback without a person, while it runs.
func TestRestoring(t *testing.T) {
	back := []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "x"}}
	for name, tc := range map[string]struct {
		st   *v1alpha1.OperationState
		want bool
	}{
		"none":   {nil, false},
		"runs":   {&v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Operation: v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Info: back}}, true},
		"over":   {&v1alpha1.OperationState{Phase: v1alpha1.OperationFailed, Operation: v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true}, Info: back}}, false},
		"person": {&v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Operation: v1alpha1.Operation{Info: back}}, false},
		"sync":   {&v1alpha1.OperationState{Phase: v1alpha1.OperationRunning, Operation: v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Automated: true}}}, false},
	} {
		if got := Restoring(&v1alpha1.Application{Status: v1alpha1.ApplicationStatus{OperationState: tc.st}}); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// TestOlder: what a sync made may look older than the sync, and is not.
func TestOlder(t *testing.T) {
	for name, tc := range map[string]struct {
		created time.Duration // after the sync
		want    bool
	}{"after": {time.Minute, false}, "within": {-Skew, false}, "before": {-Skew - 1, true}} {
		if got := Older(&gitops.Live{Created: at.Add(tc.created)}, at); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
