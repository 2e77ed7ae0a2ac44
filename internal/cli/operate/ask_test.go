package operate

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestAskingNobodyTellsWhatToAdd(t *testing.T) {
	g := &command.Global{Streams: command.Streams{In: strings.NewReader("")}}
	err := ask(t.Context(), g, false, "Delete these", "--yes --digest 12ab")
	if err == nil || command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), "add --yes --digest 12ab") {
		t.Error(err)
	}
}
