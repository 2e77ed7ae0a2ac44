package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/test/leash"
)

// asProgram makes the test binary act as causeway, so that `up --detach` can
// start itself.
const asProgram = "CAUSEWAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	jq.Worker()
	if os.Getenv(asProgram) != "" {
		os.Exit(Main("test"))
	}
	os.Exit(leash.Held(func() int {
		defer stopShared()
		return m.Run()
	}))
}

// result is what a command left behind.
type result struct {
	code        int
	out, errors string
}

// invoke runs the command line in this process, away from any real fleet.
func invoke(t *testing.T, args ...string) result {
	t.Helper()
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CAUSEWAY_STATE_DIR", t.TempDir())
	var out, errors bytes.Buffer
	code := Run(t.Context(), "1.2.3", args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errors})
	return result{code: code, out: out.String(), errors: errors.String()}
}
