package telemetry

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestLibraryLog: what the library says of its own start is left out, and its warnings
// are not, with the attributes that they were given.
func TestLibraryLog(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(LibraryLog(slog.NewTextHandler(&text, nil))).With("cluster", "dev").WithGroup("watch")
	log.Info("Starting EventSource")
	log.Warn("cannot list", "kind", "Secret")
	if got := text.String(); strings.Contains(got, "Starting") || !strings.Contains(got, `msg="cannot list" cluster=dev watch.kind=Secret`) {
		t.Errorf("got %q", got)
	}
}
