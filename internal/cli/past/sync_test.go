package past

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestCausesOfASync are told with who asked; one that was only tried is told so, whoever did.
func TestCausesOfASync(t *testing.T) {
	for want, s := range map[string]history.Sync{
		"requested by ann": {Cause: history.Requested, By: "ann"}, "automated": {Cause: history.Automated}, "dry run by ann": {Cause: history.Requested, By: "ann", DryRun: true}, "": {},
	} {
		if got := Caused(&s); got != want {
			t.Errorf("%+v is %q", s, got)
		}
	}
}

// TestRevisionsOfASync are cut for people, and told once where sources share one.
func TestRevisionsOfASync(t *testing.T) {
	commit := history.Commit{Revision: clitest.OldCommit}
	for want, commits := range map[string][]history.Commit{"-": nil, "5c9026b": {commit, commit}, "5c9026b,1.2.0": {commit, {Revision: "1.2.0"}}} {
		if got := RevisionsOf(&history.Sync{Commits: commits}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
