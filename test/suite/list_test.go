package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLacking(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv(withoutBrowser, "1")
	want := []string{
		"Chromium is not here: the pages are not tried in a browser",
		"npm is not in PATH: the pages of the browser are not tested",
		"terraform is not in PATH: the provider and the tutorial of the bridge are not tried by it",
	}
	const often = 20
	for range often {
		if diff := cmp.Diff(want, lacking()); diff != "" {
			t.Fatalf("what is lacking is told in one order:\n%s", diff)
		}
	}
}

// TestKubeByItself: what is not done again while the files of the control plane's module are the same runs no programs and reads
// no other files, and the rest of its tests are those that do.
func TestKubeByItself(t *testing.T) {
	inside := func(path string) bool { return strings.HasPrefix(path, "internal/") }
	err := fs.WalkDir(os.DirFS("../../kube"), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(filepath.Join("../../kube", path))
		if err != nil {
			return err
		}
		if inside(path) && (bytes.Contains(text, []byte(`"os/exec"`)) || bytes.Contains(text, []byte(beside))) {
			t.Errorf("kube/%s runs programs, or reads files beside the repository: its tests are no task by themselves", path)
		}
		if strings.HasSuffix(path, "_test.go") && !inside(path) && !strings.HasPrefix(path, "e2e/") {
			t.Errorf("no task runs the tests in kube/%s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
