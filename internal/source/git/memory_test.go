package git

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestMemoryIsOfOneStore has two stores with one memory: what the one has read is
// not there for who knows its name at the other.
func TestMemoryIsOfOneStore(t *testing.T) {
	u := newUpstream(t)
	u.write("d/a.yaml", "private")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	tree := snapshot(t, look(t, r), "main").Tree
	if _, err := tree.ReadFile("d/a.yaml"); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Digest("."); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Stat("d/a.yaml"); err != nil {
		t.Fatal(err)
	}
	other := newStore(t)
	other.memory = r.store.memory
	if err := other.prepare(); err != nil {
		t.Fatal(err)
	}
	commit, folder, blob := u.git("rev-parse", "HEAD"), u.git("rev-parse", "HEAD:d"), u.git("rev-parse", "HEAD:d/a.yaml")
	for what, read := range map[string]func() error{
		"commit":  func() error { _, err := other.object(commit, "commit"); return err },
		"file":    func() error { _, err := other.object(blob, "blob"); return err },
		"size":    func() error { _, err := other.size(blob); return err },
		"entries": func() error { _, err := other.entries(folder); return err },
		"links":   func() error { _, err := other.links(&work{digestWork}, folder); return err },
	} {
		if read() == nil {
			t.Errorf("%s of one store is read from another", what)
		}
	}
}
