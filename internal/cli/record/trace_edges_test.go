package record

import (
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

// drawn draws a sync that began at noon, a minute later.
func drawn(s *history.Sync, changes ...history.Change) string {
	s.App.Name, s.ID, s.Started = "shop", "abcd", clitest.Noon
	return drawTrace(&syncs.Trace{Sync: s, Changes: changes}, live.Plain(), 20, clitest.Noon.Add(time.Minute))
}

// TestTracesOfWhatIsNotOver: what runs has a bar up to now, and what has not begun has none.
func TestTracesOfWhatIsNotOver(t *testing.T) {
	text := drawn(&history.Sync{Cause: history.Requested, Phase: "Running", Waves: []history.Wave{
		{Phase: gitops.PreSync, Started: clitest.Noon, Ended: clitest.Noon.Add(30 * time.Second)},
		{Phase: gitops.Sync, Started: clitest.Noon.Add(30 * time.Second)}, {Phase: gitops.Sync, Number: 1}, {Phase: gitops.PostSync},
	}})
	half := strings.Repeat("━", spanWidth/2)
	for _, want := range []string{
		"shop: requested sync Running 60s ago, took -, trace abcd\n", "  0 objects: nothing\n", "+0     30.0s " + half + "\n",
		"Sync wave 0       +30.0s     30.0s " + strings.Repeat(" ", spanWidth/2) + half + "\n", "Sync wave 1\n", "PostSync\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestTracesBeginWithTheirFirstWave: an operation's own time has whole seconds alone, and may be after it.
func TestTracesBeginWithTheirFirstWave(t *testing.T) {
	first := clitest.Noon.Add(-500 * time.Millisecond)
	s := &history.Sync{Finished: clitest.Noon.Add(500 * time.Millisecond), Waves: []history.Wave{{Phase: gitops.Sync, Started: first, Ended: clitest.Noon, Objects: []history.Object{
		{Kind: "ConfigMap", Name: "a", Message: "created", Started: clitest.Noon, Took: 500 * time.Millisecond, Healthy: first},
	}}}}
	text := drawn(s, history.Change{At: clitest.Noon.Add(2 * time.Second), To: gitops.Healthy}, history.Change{At: clitest.Noon, To: gitops.Progressing, Kind: "Pod", Namespace: "shop", Name: "web", Message: "starts\nup"})
	begins := strings.Index(text, "+500ms  Pod shop/web: - → Progressing: starts up\n")
	if ends := strings.Index(text, "+2.5s  the application: - → Healthy\n"); begins < 0 || ends < begins {
		t.Errorf("health does not move from then on, in its order:\n%s", text)
	}
	for _, want := range []string{"+0     500ms " + strings.Repeat("━", spanWidth/2) + "\n", "+500ms     500ms " + strings.Repeat(" ", spanWidth/2) + strings.Repeat("■", spanWidth/2) + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, ", healthy") {
		t.Errorf("what was healthy before it was applied did not become so by it:\n%s", text)
	}
}

// TestTracesOfCommitsThatAreHardlyKnown, and of texts that go on for long.
func TestTracesOfCommitsThatAreHardlyKnown(t *testing.T) {
	text := drawn(&history.Sync{DryRun: true, By: "ann", Message: strings.Repeat("word ", 200), Commits: []history.Commit{
		{RepoURL: "https://git.example.com/a"}, {RepoURL: "https://git.example.com/b", Revision: "1.2.0", Author: "Ann", Subject: "Sell\n  " + strings.Repeat("more ", 50)},
	}})
	for _, want := range []string{"shop: dry run by ann sync ", "  https://git.example.com/a at -\n", `  https://git.example.com/b at 1.2.0: "Sell more more`, "…\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(line)); n > 3*60+1 {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
}
