package record

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// TestHistoryTellsWhatIsUnverified holds that of who asked nothing is cut: that nothing proves it stands at the end.
func TestHistoryTellsWhatIsUnverified(t *testing.T) {
	sync := history.Sync{
		ID: strings.Repeat("a", 32), Started: clitest.Noon.Add(-time.Minute), Finished: clitest.Noon, Phase: "Succeeded", Changed: history.Counts{Created: 12, Pruned: 3},
		Cause: history.Requested, By: gitops.Unverified("somebody.with.a.long.name@example.com"), Message: strings.Repeat("successfully synced ", 9),
		Commits: []history.Commit{{Revision: strings.Repeat("b", 40)}, {Revision: strings.Repeat("c", 40)}},
	}
	var out bytes.Buffer
	if err := historyTable([]history.Sync{sync}, clitest.Noon).Print(&out, live.Plain(), table.PageWidth); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"requested", "(unverified)", "somebody", "e.com", "Succeeded"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestHistoryOfShortIDs: a server may answer with any ID.
func TestHistoryOfShortIDs(t *testing.T) {
	for id, want := range map[string]string{"": "", "abc": "abc", "abcdefgh": "abcdefgh", strings.Repeat("a", 32): "aaaaaaaa"} {
		sync := &history.Sync{ID: id, Started: clitest.Noon}
		if got := historyRow(sync, clitest.Noon)[1]; got != want {
			t.Errorf("%q is shown as %q", id, got)
		}
	}
}
