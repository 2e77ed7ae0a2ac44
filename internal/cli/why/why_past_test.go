package why

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/history"
)

// A server may answer with any ID of a sync.
func TestPastOfShortIDs(t *testing.T) {
	for id, want := range map[string]string{"": "", "abc": "abc", "abcdefgh": "abcdefgh", strings.Repeat("a", 32): "aaaaaaaa"} {
		sync := &history.Sync{ID: id, Started: clitest.Noon}
		if got := pastLine(sync, history.Wave{}, &history.Object{}); !strings.HasSuffix(got, "(trace "+want+")") {
			t.Errorf("%q is shown in %q", id, got)
		}
	}
}
