package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestExitCodesAreTold finds in the code itself which commands exit with what,
// and looks for them in the reference.
func TestExitCodesAreTold(t *testing.T) {
	means := map[int]string{}
	for _, c := range ExitCodes() {
		means[c.Code] = c.Means
	}
	cases := map[string]struct {
		reason string
		with   *regexp.Regexp
		code   int
	}{
		"changes": {"each command that tells of changes is named", regexp.MustCompile(`(?m)^\s+return command.ErrChanges$`), command.ExitChanges},
		"late":    {"each command with a time is named", regexp.MustCompile(`command.Latef\("|\tcommand.ErrLate$|= command.ErrLate$`), command.ExitLate},
	}
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		found := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") || file == "exit.go" || !c.with.Match(text) {
				continue
			}
			found++
			name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".go"), "_")
			if !regexp.MustCompile("`" + name + "[ `]").MatchString(means[c.code]) {
				t.Errorf("%s: %s: causeway %s exits with %d, and the reference says %q", name, c.reason, name, c.code, means[c.code])
			}
		}
		if found < 3 {
			t.Errorf("%s: only %d commands were found", name, found)
		}
	}
}
