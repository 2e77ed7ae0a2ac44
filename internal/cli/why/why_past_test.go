package why

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/history"
)

// A server may answer with any ID of a sync.
func TestPastOfShortIDs(t *testing.T) {
	for _, id := range []string{"", "abc", "abcdefgh"} {
		sync := &history.Sync{ID: id, Started: clitest.Noon}
		if got := pastLine(sync, history.Wave{}, &history.Object{}); !strings.HasSuffix(got, "(trace "+id+")") {
			t.Errorf("%q is shown in %q", id, got)
		}
	}
}
