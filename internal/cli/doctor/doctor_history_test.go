package doctor

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/chronicle"
)

func TestCheckHistoryFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), chronicle.File)
	if got := checkHistoryFile(t.Context(), file); got.State != warn {
		t.Errorf("none is there: %v", got)
	}
	s, err := chronicle.OpenFile(file, filepath.Join(filepath.Dir(file), chronicle.KeyFile))
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
