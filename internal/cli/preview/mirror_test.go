package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/source/lockfile"
)

// TestOnlyALockIsVerified: a job whose folder is written wrongly would be green for ever.
func TestOnlyALockIsVerified(t *testing.T) {
	dir := t.TempDir()
	got := clitest.Run(t, NewMirror, "--verify", "--to", filepath.Join(dir, "mirrors"))
	if want := "has no " + lockfile.Name; got.Code != command.ExitFailed || !strings.Contains(got.Errors, want) {
		t.Errorf("without a lock: got %+v, want %q", got, want)
	}
	if _, err := os.Lstat(filepath.Join(dir, "mirrors")); err == nil {
		t.Error("the look made the folder")
	}
	clitest.Write(t, dir, map[string]string{"mirror/" + lockfile.Name: "version: 1\n"})
	if got = clitest.Run(t, NewMirror, "--verify", "--to", filepath.Join(dir, "mirror")); got.Code != command.ExitFine || !strings.Contains(got.Out, "0 references") {
		t.Errorf("with the lock of a repository that needs nothing: got %+v", got)
	}
}
