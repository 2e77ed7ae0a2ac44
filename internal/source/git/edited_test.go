package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestEditInTheSecondOfTheIndex changes a file to another text of the same
// length whose times tell nothing: git has to read it.
func TestEditInTheSecondOfTheIndex(t *testing.T) {
	u := newUpstream(t)
	u.git("config", "core.trustctime", "false")
	file, index := filepath.Join(u.dir, "a.txt"), filepath.Join(u.dir, ".git", "index")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	stamp := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Chtimes(name, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	u.write("a.txt", "old\n")
	stamp(file)
	head := u.commit("a")
	stamp(index)
	if err := os.WriteFile(file, []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stamp(file)
	s := newStore(t)
	k, err := OpenCheckout(t.Context(), s.command, u.dir, t.TempDir(), s.memory, s.limit)
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.Edited(t.Context(), head, at)
	if err != nil {
		t.Fatal(err)
	}
	if got == head {
		t.Error("the edit was not seen")
	}
}
