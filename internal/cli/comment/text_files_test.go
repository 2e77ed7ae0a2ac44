package comment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

// TestFilesOfThePersonsOwn: what lies in no checkout may be a link or a pipe, and what
// is named as what Git keeps for itself is meant.
func TestFilesOfThePersonsOwn(t *testing.T) {
	s := clitest.NewStranger(t)
	s.Write(s.Dir, map[string]string{".git/text.md": "of Git", "text.md": "of the checkout"})
	s.Write(s.Home, map[string]string{"text.md": "of the person", "key": hosttest.Token})
	s.Link("text.md", filepath.Join(s.Home, "link.md"))
	s.Link("text.md", filepath.Join(s.Dir, "link.md"))
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	if _, err := to.WriteString("of a pipe"); err != nil || to.Close() != nil {
		t.Fatal(err)
	}
	k := talks["github"](t)
	job(t, k.URL, jobs["github"])
	for name, want := range map[string]string{
		filepath.Join(s.Home, "link.md"): "of the person", filepath.Join(s.Dir, "link.md"): "of the checkout",
		filepath.Join(s.Dir, ".git", "text.md"): "of Git", fmt.Sprintf("/dev/fd/%d", from.Fd()): "of a pipe",
	} {
		got := clitest.Run(t, New, "--file", name, "--token-file", filepath.Join(s.Home, "key"))
		if all := k.all(); got.Code != command.ExitFine || !strings.HasSuffix(all[len(all)-1], "\n"+want) {
			t.Errorf("%s: exit %d, %q: %s", name, got.Code, all, got.Errors)
		}
	}
}
