package reference

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPagesAreCurrent(t *testing.T) {
	want, err := Pages(t.Context(), os.DirFS("../../examples"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	root := os.DirFS("../../docs")
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		got[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run `make generate`: the pages are stale (-want +got):\n%s", diff)
	}
}

func TestPagesAreComplete(t *testing.T) {
	pages, err := Pages(t.Context(), os.DirFS("../../examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names(pages) {
		text := pages[name]
		if !strings.Contains(text, "## Example") {
			t.Errorf("%s has no example", name)
		}
		if strings.HasPrefix(name, "resources/") && !strings.Contains(text, "## Import") {
			t.Errorf("%s does not say how to import", name)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "- `") && (strings.Contains(line, "()") || !strings.HasSuffix(strings.TrimSpace(line), ".")) {
				t.Errorf("%s: an attribute has no type or no description: %s", name, line)
			}
		}
	}
}
