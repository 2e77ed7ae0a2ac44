package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestLookingLeavesFilesAlone: an engine begins a history anew that is damaged. Who looks into one names a file by
// mistake, or wants to know whether it is as it was.
func TestLookingLeavesFilesAlone(t *testing.T) {
	text := strings.Repeat("this is no database. ", 400)
	for name, made := range map[string]func(*command.Global) *cobra.Command{"list": NewAudit, "verify": NewAudit, "export": NewAudit, "": NewChanges} {
		file := filepath.Join(t.TempDir(), "audit.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := clitest.Run(t, made, append(strings.Fields(name), "--history-file", file)...)
		got.Says(t, "that it cannot be read is no answer", command.ExitFailed, file, "file is not a database")
		left, err := os.ReadFile(file)
		_, aside := os.Stat(file + ".damaged")
		if err != nil || string(left) != text || !errors.Is(aside, os.ErrNotExist) {
			t.Errorf("%s: the file is not as it was: %d bytes, %v, put aside: %v", name, len(left), err, aside)
		}
	}
}

// TestStoresThatCannotBe are told by what they were named.
func TestStoresThatCannotBe(t *testing.T) {
	gone := filepath.Join(t.TempDir(), chronicle.File)
	for store, want := range map[string]string{gone: "there is no history at " + gone, "mysql://db/x": `cannot use a store of the kind "mysql"; name a file or a postgres:// address`} {
		clitest.Run(t, NewAudit, "verify", "--store", store).Says(t, store, command.ExitFailed, want)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(gone), chronicle.KeyFile)); err == nil {
		t.Error("a key is made for a history that is not there")
	}
}
