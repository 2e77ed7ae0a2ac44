package breakout

import (
	"os"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/test/leash"
)

// asProgram makes the test binary the command line, so that what a checkout does to it is seen in a process of its own.
const asProgram = "CAUSEWAY_BREAKOUT_AS_PROGRAM"

func TestMain(m *testing.M) {
	hub.RenderWorker()
	jq.Worker()
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main("breakout-suite"))
	}
	os.Exit(leash.Held(m.Run))
}
