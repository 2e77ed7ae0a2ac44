package operate

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestGoalsAreJudged(t *testing.T) {
	app := clitest.Settled
	outOfSync := func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync }
	degraded := func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusDegraded }
	progressing := func(a *v1alpha1.Application) { a.Status.Health.Status = v1alpha1.HealthStatusProgressing }
	runs := func(a *v1alpha1.Application) {
		a.Status.OperationState.Phase, a.Status.OperationState.Message = v1alpha1.OperationRunning, "wave 2 of 3"
	}
	failed := func(a *v1alpha1.Application) {
		a.Status.OperationState.Phase, a.Status.OperationState.Message = v1alpha1.OperationFailed, "a hook failed"
	}
	requested := func(a *v1alpha1.Application) { a.Operation = &v1alpha1.Operation{} }
	atNew := func(a *v1alpha1.Application) { a.Status.Sync.Revision = clitest.NewCommit }
	several := func(a *v1alpha1.Application) {
		a.Status.Sync.Revision, a.Status.Sync.Revisions = "", []string{clitest.NewCommit, "1.2.0"}
	}
	broughtNew := func(a *v1alpha1.Application) { a.Status.OperationState.SyncResult.Revision = clitest.NewCommit }
	never := func(a *v1alpha1.Application) { a.Status.OperationState = nil }
	going := func(a *v1alpha1.Application) { now := metav1.Now(); a.DeletionTimestamp = &now }
	both, synced, healthy := []string{forSynced, forHealthy}, []string{forSynced}, []string{forHealthy}
	cases := map[string]struct {
		reason   string
		goals    []string
		revision string
		app      *v1alpha1.Application
		want     string
		says     string
	}{
		"well":                   {"it is as asked", both, "", app(), stateReached, "Synced, Healthy"},
		"out of sync":            {"it may be synced yet", both, "", app(outOfSync), stateWaits, "OutOfSync"},
		"progressing":            {"it may become healthy", both, "", app(progressing), stateWaits, "Progressing"},
		"synced alone":           {"the health was not asked for", synced, "", app(degraded), stateReached, ""},
		"healthy alone":          {"the sync was not asked for", healthy, "", app(outOfSync), stateReached, ""},
		"requested":              {"an operation that has not begun is still to come", both, "", app(requested), stateWaits, "has not begun"},
		"runs":                   {"an operation that runs is told of", both, "", app(runs), stateWaits, "wave 2 of 3"},
		"failed":                 {"what failed at what is compared is not tried again by itself", both, "", app(failed), stateFailed, "a hook failed"},
		"failed before":          {"a failure at an earlier revision says nothing of this one", both, "", app(failed, atNew), stateReached, ""},
		"failed, before a sync":  {"a newer revision is still to be synced", both, "", app(failed, atNew, outOfSync), stateWaits, "OutOfSync"},
		"failed, health alone":   {"the operation was not asked for", healthy, "", app(failed), stateReached, ""},
		"ill":                    {"it may recover, but not for ever", both, "", app(degraded), stateIll, "Degraded"},
		"ill, and syncs":         {"the sync may mend it", healthy, "", app(degraded, runs), stateWaits, "Degraded"},
		"operation":              {"the last one succeeded", []string{forOperation}, "", app(outOfSync), stateReached, ""},
		"operation failed":       {"the last one failed", []string{forOperation}, "", app(failed, atNew), stateFailed, "a hook failed"},
		"no operation":           {"none is under way", []string{forOperation}, "", app(never), stateReached, ""},
		"operation of revision":  {"one of another revision is not meant", []string{forOperation}, clitest.NewCommit, app(atNew), stateWaits, "no operation has brought 7777777"},
		"it brought it":          {"one of the revision is", []string{forOperation}, clitest.NewCommit, app(atNew, broughtNew), stateReached, ""},
		"revision, not seen":     {"well at another revision is not well at this one", both, clitest.NewCommit, app(), stateWaits, "has found 5c9026b, not 7777777"},
		"failure, not seen":      {"and failed there has not failed here", both, clitest.NewCommit, app(failed), stateWaits, "has found 5c9026b"},
		"revision":               {"it is seen", both, clitest.NewCommit, app(atNew), stateReached, ""},
		"shortened":              {"a commit may be shortened", both, clitest.NewCommit[:7], app(atNew), stateReached, ""},
		"too short":              {"but not to what may mean many", both, clitest.NewCommit[:3], app(atNew), stateWaits, ""},
		"several sources":        {"any of the sources has it", both, "1.2.0", app(several), stateReached, ""},
		"not the whole version":  {"a version is not shortened", both, "1.2", app(several), stateWaits, ""},
		"gone":                   {"it cannot become synced any more", both, "", nil, stateFailed, "was deleted"},
		"going":                  {"nor when it goes", both, "", app(going), stateFailed, "is being deleted"},
		"deleted":                {"it is gone", []string{forDeleted}, "", nil, stateReached, "gone"},
		"not deleted":            {"nobody has asked for it", []string{forDeleted}, "", app(), stateWaits, "nobody has deleted it"},
		"deletion":               {"it waits for its finalizers", []string{forDeleted}, "", app(going, func(a *v1alpha1.Application) { a.Finalizers = []string{"example.com/x"} }), stateWaits, "example.com/x"},
		"deletion and operation": {"it waits for its operation", []string{forDeleted}, "", app(going, runs), stateWaits, "wave 2 of 3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g, err := goalOf(c.goals, c.revision)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.judge(c.app); got.state != c.want || !strings.Contains(got.why, c.says) {
				t.Errorf("%s: %+v, want %s with %q", c.reason, got, c.want, c.says)
			}
		})
	}
}

func TestGoalsThatContradictEachOther(t *testing.T) {
	cases := map[string]struct {
		reason   string
		goals    []string
		revision string
	}{
		"nothing": {"something is to be waited for", nil, ""}, "unknown": {"no word is guessed", []string{"sinced"}, ""},
		"both": {"what is gone is not synced", []string{forSynced, forDeleted}, ""}, "revision": {"what is gone has no revision", []string{forDeleted}, "abc"},
	}
	for name, c := range cases {
		if _, err := goalOf(c.goals, c.revision); command.ExitCode(err) != command.ExitUsage {
			t.Errorf("%s: %s: %v", name, c.reason, err)
		}
	}
}

func TestRevisionsOfAWait(t *testing.T) {
	tests := map[string]struct {
		reason   string
		revision string
		refused  bool
		names    bool
	}{
		"Whole":   {"a commit", clitest.OldCommit, false, true},
		"Short":   {"as Git prints it", clitest.OldCommit[:7], false, true},
		"Capital": {"case does not matter", strings.ToUpper(clitest.OldCommit[:9]), false, true},
		"Shorter": {"it may be any commit's", clitest.OldCommit[:5], true, false},
		"Other":   {"another commit", clitest.NewCommit[:7], false, false},
		"Version": {"the version of a chart", "17", false, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g, err := goalOf([]string{forSynced}, tc.revision)
			if (err != nil) != tc.refused || command.ExitCode(err) == command.ExitFailed {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if !tc.refused && g.names(clitest.OldCommit) != tc.names {
				t.Errorf("%s: %v", tc.reason, !tc.names)
			}
		})
	}
}
