package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestNoBinaryOfTheWorkingFolder: a checkout can have the module line of this
// project and a program of the right name. Tests alone look there.
func TestNoBinaryOfTheWorkingFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	planted := filepath.Join(dir, "bin", binaryName)
	err = errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(moduleLine), 0o600), os.Mkdir(filepath.Dir(planted), 0o700),
		os.WriteFile(planted, []byte("#!/bin/sh\n"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv(binaryVariable, "")
	if !slices.Contains(places(), filepath.Dir(planted)) {
		t.Error("tests do not find what was built for them")
	}
	inTest = func() bool { return false }
	t.Cleanup(func() { inTest = testing.Testing })
	if slices.Contains(places(), filepath.Dir(planted)) {
		t.Error("a program of the working folder is run")
	}
	// Nor by a path that begins here.
	for _, path := range []string{"bin", ".", ""} {
		t.Setenv("PATH", path+string(filepath.ListSeparator)+t.TempDir())
		if path != "bin" {
			t.Chdir(filepath.Dir(planted))
		}
		if got, err := FindBinary(); err == nil {
			t.Errorf("PATH=%s: %s is run", os.Getenv("PATH"), got)
		}
	}
}
