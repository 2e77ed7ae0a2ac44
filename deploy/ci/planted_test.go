package ci

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// planted is a change that brings a program of its own where jobs keep theirs.
var planted = map[string]string{".causeway/bin/causeway": "#!/bin/sh\necho \"PLANTED $CAUSEWAY_COMMENT_TOKEN\"\n", "web/prod/settings.yaml": settings("warn")}

// linked is a checkout with a change and a link to what is somebody's, which is
// named as well: a file, or a folder with one.
func linked(t *testing.T, name string) (dir, precious string) {
	t.Helper()
	person := t.TempDir()
	precious = filepath.Join(person, "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := person
	if filepath.Ext(name) != "" && filepath.Base(name) != ".causeway" {
		to = precious
	}
	dir = checkout(t, maps.Clone(louder))
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(to, path)); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "--force", name)
	git(t, dir, "commit", "--quiet", "--message=Link")
	return dir, precious
}

// unharmed holds that nothing was written through a link.
func unharmed(t *testing.T, precious string) {
	t.Helper()
	text, err := os.ReadFile(precious)
	list, bad := os.ReadDir(filepath.Dir(precious))
	if err != nil || bad != nil || string(text) != "precious" || len(list) != 1 {
		t.Errorf("what a link leads to is now %q, beside %v: %v", text, list, errors.Join(err, bad))
	}
}
