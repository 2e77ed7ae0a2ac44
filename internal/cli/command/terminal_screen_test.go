package command_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

func TestProgressTellsTerminalsNothing(t *testing.T) {
	start := fleetstatus.Snapshot{}
	now := fleetstatus.Snapshot{Apps: []fleetstatus.App{{Name: "mine", Problem: "no" + clitest.Steering, Message: clitest.Steering}}, Step: "a" + clitest.Steering}
	for _, line := range live.Lines(start, now, start.Started) {
		var out bytes.Buffer
		_, _ = io.WriteString(clitest.Global(t, &out).Show().Out, line)
		clitest.OnlySays(t, out.String(), 0)
	}
}
