package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// TestFaultsAreInTheLog: what is given no log writes to that of the process.
func TestFaultsAreInTheLog(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	out := &bytes.Buffer{}
	if _, err := logTo(out, "json", slog.LevelError); err != nil {
		t.Fatal(err)
	}
	_ = crew.Safely(func() error { panic("a fault") })
	if text := out.String(); !strings.HasPrefix(text, "{") || !strings.Contains(text, `"level":"ERROR"`) || !strings.Contains(text, "stack") {
		t.Errorf("the log has %q", text)
	}
}
