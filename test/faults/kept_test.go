package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLogsOfFailuresStay: a log is kept where the suite keeps its own, which is not what ends with this process.
func TestLogsOfFailuresStay(t *testing.T) {
	log := filepath.Join(t.TempDir(), "engine", "log")
	if err := os.MkdirAll(filepath.Dir(log), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte("it said so"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := saved(log, keptLogs, "TestA/b c")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "it said so" {
		t.Errorf("got %q, %v", text, err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(path, filepath.Join(root, "bin", "suite")+"/") || strings.HasPrefix(path, os.TempDir()+"/") {
		t.Errorf("%s goes with this process", path)
	}
}
