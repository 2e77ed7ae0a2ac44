package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestAFileIsReplaced: a reader sees the old text or the new one, of this user alone.
func TestAFileIsReplaced(t *testing.T) {
	dir := t.TempDir()
	elsewhere, path := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "deep", "state.json")
	if err := errors.Join(os.WriteFile(elsewhere, []byte("precious"), 0o644), os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(elsewhere, path)); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if info, e := os.Lstat(path); errors.Join(err, e) != nil || string(text) != "new" || info.Mode() != 0o600 {
		t.Errorf("it has %q, %v", text, errors.Join(err, e))
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "precious" {
		t.Errorf("what a link led to has %q, %v", text, err)
	}
}

// TestNothingIsLeftOfAFileThatCannotBeWritten: Clear and people would meet it.
func TestNothingIsLeftOfAFileThatCannotBeWritten(t *testing.T) {
	dir := folder(t, map[string]string{"taken/x": ""})
	if err := WriteFile(filepath.Join(dir, "taken"), []byte("new")); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("beside it there is %v, %v", entries, err)
	}
}
