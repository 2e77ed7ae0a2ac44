package history

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// after is so many seconds after noon.
func after(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

// How far a sync brings its commits, by its phase and its waves.
func TestHowFarASyncComes(t *testing.T) {
	key := func(name string) *gitops.Key { return &gitops.Key{Kind: "ConfigMap", Name: name} }
	applied := []Wave{{Applied: after(2)}, {Applied: after(5)}, {Applied: after(3)}, {}}
	refused := tried(0, "web created", "db refused")
	healthy := tried(0, "web created", "gone pruned", "db created")
	healthy.Objects[0].Healthy = after(1)
	for name, tc := range map[string]struct {
		reason string
		sync   Sync
		want   Step
	}{
		"Runs":       {"what is said of it is its message", Sync{Phase: "Running", Message: "waits for wave 2"}, Step{State: StepRunning, Stage: Applied, Message: "waits for wave 2"}},
		"Terminates": {"a phase that is none of the ends goes on", Sync{Phase: "Terminating"}, Step{State: StepRunning, Stage: Applied}},
		"Applied":    {"the last answer of the API server counts, in whatever order waves are", Sync{Phase: "Running", Waves: applied}, Step{State: StepRunning, Stage: Applied, Applied: after(5)}},
		"Over":       {"it is not healthy yet", Sync{Phase: PhaseSucceeded, Finished: after(9), Waves: applied, Health: gitops.Progressing}, Step{State: StepApplied, Stage: Healthy, Applied: after(5)}},
		"No waves":   {"there was nothing to apply", Sync{Phase: PhaseSucceeded, Finished: after(9), Health: gitops.Healthy}, Step{State: StepHealthy, Applied: after(9), Healthy: after(9)}},
		"Refused":    {"the object is named with what the API server said", Sync{Phase: "Failed", Message: "one object", Waves: []Wave{refused}}, Step{State: StepFailed, Stage: Applied, Object: key("db"), Message: "refused"}},
		"Error":      {"the same where the engine could not go on", Sync{Phase: "Error", Message: "one object", Waves: []Wave{refused}}, Step{State: StepFailed, Stage: Applied, Object: key("db"), Message: "refused"}},
		"Later":      {"of two that were refused the later one", Sync{Phase: "Failed", Waves: []Wave{refused, tried(1, "cache refused")}}, Step{State: StepFailed, Stage: Applied, Object: key("cache"), Message: "refused"}},
		"Unhealthy":  {"else the first that is not healthy, and not what was deleted", Sync{Phase: "Failed", Message: "timed out", Waves: []Wave{healthy}}, Step{State: StepFailed, Stage: Applied, Object: key("db"), Message: "timed out"}},
		"Nobody":     {"before any wave nobody is to blame", Sync{Phase: "Failed", Message: "no cluster"}, Step{State: StepFailed, Stage: Applied, Message: "no cluster"}},
		"Superseded": {"a newer one took its place: nothing failed", Sync{Phase: "Superseded", Message: "by b", Waves: []Wave{refused}}, Step{State: StepSuperseded, Stage: Applied}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.sync.ID, tc.sync.Started, tc.sync.Cause = "1", noon, Automated
			tc.want.Sync, tc.want.Started, tc.want.At = "1", noon, after(60)
			if diff := cmp.Diff(&tc.want, StepOf(&tc.sync, after(60))); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Of waves before the one that failed nobody is to blame, also where they were never
// seen healthy: they were passed.
func TestCulpritIsInTheLastWave(t *testing.T) {
	first, last := tried(0, "early created"), tried(0, "late created")
	last.Number = 1
	other := tried(0, "hook created")
	other.Phase, other.Number = gitops.PreSync, 1
	s := Sync{Message: "timed out", Waves: []Wave{other, first, last}}
	if key, why := s.culprit(); key == nil || key.Name != "late" || why != "timed out" {
		t.Errorf("it failed at %v: %s", key, why)
	}
	s.Waves[2].Objects[0].Healthy = noon
	if key, why := s.culprit(); key != nil || why != "timed out" {
		t.Errorf("all of it is healthy, and it failed at %v: %s", key, why)
	}
}

// Only what changes an application for the first time brings commits.
func TestSyncsThatBringCommits(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		sync   Sync
		brings bool
	}{
		"Automated":          {"Git has something new", Sync{Cause: Automated}, true},
		"Requested":          {"somebody asked for it", Sync{Cause: Requested}, true},
		"Try":                {"a dry run changes nothing", Sync{Cause: Requested, DryRun: true}, false},
		"Heal":               {"the commit was there already", Sync{Cause: Heal}, false},
		"Rollback":           {"it goes back to commits of then", Sync{Cause: Rollback}, false},
		"Automatic rollback": {"so does an atomic sync that failed", Sync{Cause: AutomaticRollback}, false},
	} {
		if got := StepOf(&tc.sync, noon); (got != nil) != tc.brings {
			t.Errorf("%s: %s: got %+v", name, tc.reason, got)
		}
	}
}

// A repository has one page, however its address is written.
func TestRepositoriesAreTheSame(t *testing.T) {
	const at = "https://git.example.com/shop/web"
	for name, tc := range map[string]struct {
		reason, address string
		same            bool
	}{
		"Suffix":  {"with the suffix of Git", at + ".git", true},
		"Slash":   {"with a slash, after the suffix too", at + ".git//", true},
		"Letters": {"in other letters", "HTTPS://Git.Example.com/Shop/Web.GIT", true},
		"Blanks":  {"with blanks around it", " " + at + "\n", true},
		"Other":   {"another one", at + "2", false},
		"Scheme":  {"by another protocol it may be another one", "http://git.example.com/shop/web", false},
	} {
		if got := RepoID(tc.address) == RepoID(at); got != tc.same {
			t.Errorf("%s: %s: the same is %t", name, tc.reason, got)
		}
	}
	if id := RepoID(at); len(id) != 16 || strings.ContainsAny(id, "/:?#") {
		t.Errorf("an address of a page has %q", id)
	}
}

// What has no date, revision or address is no commit: a chart's version, or what
// nobody resolved.
func TestWhatIsACommit(t *testing.T) {
	whole := Commit{RepoURL: "a", Revision: "b", Date: noon}
	for name, tc := range map[string]struct {
		change func(*Commit)
		want   bool
	}{
		"Commit": {func(*Commit) {}, true}, "Version": {func(c *Commit) { c.Date = time.Time{} }, false},
		"No revision": {func(c *Commit) { c.Revision = "" }, false}, "Nowhere": {func(c *Commit) { c.RepoURL = "" }, false},
	} {
		c := whole
		if tc.change(&c); c.IsCommit() != tc.want {
			t.Errorf("%s: it is a commit: %t", name, c.IsCommit())
		}
	}
}

// Who writes a commit writes its author and subject as long as they like: what is shown
// is cut, in whole letters, and the commit stays.
func TestShownCommitsAreShort(t *testing.T) {
	long := strings.Repeat("ü", gitops.MostCommitText)
	c := Commit{Author: long, Subject: long + "x", Revision: "abc"}
	for field, text := range map[string]string{"author": c.Shown().Author, "subject": c.Shown().Subject} {
		if len(text) > gitops.MostCommitText+len("…") || strings.ToValidUTF8(text, "") != text || !strings.HasPrefix(text, "üü") {
			t.Errorf("%s has %d bytes: %.20q", field, len(text), text)
		}
	}
	if c.Author != long || c.Shown().Revision != "abc" {
		t.Error("the commit itself was changed")
	}
}
