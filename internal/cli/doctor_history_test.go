package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/app"
)

func TestCheckHistoryFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), app.HistoryFile)
	if got := checkHistoryFile(t.Context(), file); got.State != warn {
		t.Errorf("none is there: %v", got)
	}
	s, err := app.OpenHistory(file, filepath.Join(filepath.Dir(file), app.HistoryKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Schema(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := checkHistoryFile(t.Context(), file); got.State != fine || !strings.Contains(got.Detail, "tables of version ") {
		t.Errorf("it is there: %v", got)
	}
}
