package command

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common/util"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// TestFaultsAreInTheLog: what is given no log writes to that of the process.
func TestFaultsAreInTheLog(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	out := &bytes.Buffer{}
	if _, err := LogTo(out, "json", slog.LevelError); err != nil {
		t.Fatal(err)
	}
	_ = crew.Safely(func() error { panic("a fault") })
	if text := out.String(); !strings.HasPrefix(text, "{") || !strings.Contains(text, `"level":"ERROR"`) || !strings.Contains(text, "stack") {
		t.Errorf("the log has %q", text)
	}
}

// TestLibrariesTellNoValues: Helm's says which values it leaves out, and what they are.
func TestLibrariesTellNoValues(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	out := &bytes.Buffer{}
	if _, err := LogTo(out, "text", slog.LevelInfo); err != nil {
		t.Fatal(err)
	}
	util.CoalesceTables(map[string]any{"a": map[string]any{"b": "c"}}, map[string]any{"a": "planted"})
	if out.Len() > 0 {
		t.Errorf("the log has %q", out)
	}
	log.Print("said by another one")
	slog.Info("and by a third one")
	if text := out.String(); !strings.Contains(text, "another one") || !strings.Contains(text, "third one") {
		t.Errorf("the log has %q", text)
	}
}
