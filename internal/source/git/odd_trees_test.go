package git

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

func TestModes(t *testing.T) {
	for mode, want := range map[string]kind{
		"100644": file, "100755": file, "100664": file, "0100644": file, "100000": file,
		"40000": folder, "040000": folder, "0040000": folder, "40755": folder,
		"120000": link, "0120000": link,
		"160000": submodule, "0160000": submodule, "60000": submodule, "0": submodule, "644": submodule,
	} {
		if got, err := kindOf(mode); got != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", mode, got, err, want)
		}
	}
	for _, mode := range []string{"", "x", "100648", "-100644", "+100644", "0x40000", "1_00644", "00100644", "77777777777"} {
		if got, err := kindOf(mode); err == nil {
			t.Errorf("%s is taken for %d", mode, got)
		}
	}
}

// entryOf is a folder of one entry, as it stands.
func entryOf(t *testing.T, mode, name, hash string) string {
	t.Helper()
	raw, err := hex.DecodeString(hash)
	if err != nil {
		t.Fatal(err)
	}
	return mode + " " + name + "\x00" + string(raw)
}

// object writes an object that no checkout could make.
func (u *upstream) object(kind, content string) string {
	u.t.Helper()
	file := filepath.Join(u.t.TempDir(), "object")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		u.t.Fatal(err)
	}
	return u.git("hash-object", "-t", kind, "-w", "--literally", file)
}

// TestOddTrees pushes what git takes for whole beside a branch that others read.
func TestOddTrees(t *testing.T) {
	absent := strings.Repeat("ab", 20)
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	there := u.git("rev-parse", "HEAD:a.yaml")
	for name, c := range map[string]struct {
		reason, mode, entry, hash string
		kind                      gitops.ProblemKind
	}{
		"submodule": {"one with a zero before its mode", "0160000", "x", absent, gitops.NotFound},
		"device":    {"a kind that git has not", "60000", "x", absent, gitops.NotFound},
		"long":      {"a mode that is too long", "00100644", "x", there, gitops.Invalid},
		"path":      {"a name that is a path", "100644", "../x", there, gitops.Invalid},
		"up":        {"a name that leads up", "100644", "..", there, gitops.Invalid},
	} {
		tree := u.object("tree", entryOf(t, c.mode, c.entry, c.hash))
		u.git("update-ref", "refs/heads/"+name, u.git("commit-tree", "-m", "odd", tree))
		r := newRemote(t, u.dir, access.Credential{})
		v := look(t, r)
		good := snapshot(t, v, "main").Tree
		odd, err := v.Snapshot(t.Context(), name)
		if err == nil {
			_, err = odd.Tree.ReadFile("x")
		}
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != c.kind {
			t.Errorf("%s: got %v", c.reason, err)
		}
		if v.Stale() {
			t.Errorf("%s: the store is thrown away", c.reason)
		}
		if text, err := good.ReadFile("a.yaml"); err != nil || string(text) != "1" {
			t.Errorf("%s: the other branch has %q, %v", c.reason, text, err)
		}
	}
}

// plant writes an object into a store, as a fetch leaves it that failed at the end.
func plant(t *testing.T, s *Store, kind, content string) string {
	t.Helper()
	out, err := s.command.run(t.Context(), s.dir, session{}, strings.NewReader(content), "hash-object", "-t", kind, "-w", "--literally", "--stdin")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestHalfCommits has a commit in the store that never came as a whole.
func TestHalfCommits(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	v := look(t, r)
	good := snapshot(t, v, "main").Tree
	content := entryOf(t, "100644", "a.yaml", u.object("blob", "2"))
	text := "tree " + plant(t, r.store, "tree", content) + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nhalf\n"
	half := plant(t, r.store, "commit", text)
	if s, err := v.Snapshot(t.Context(), half); err == nil {
		t.Errorf("the server is not asked for it: %v", s)
	}
	tree, err := r.store.Snapshot(half, gitops.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := tree.Tree.ReadFile("a.yaml"); err == nil || v.Stale() {
		t.Errorf("what is not there is %q, or the store is thrown away: %v", text, err)
	}
	if _, err := good.ReadFile("a.yaml"); err != nil {
		t.Error(err)
	}
	u.object("tree", content)
	u.git("update-ref", "refs/heads/half", u.object("commit", text))
	if got, err := snapshot(t, look(t, r), half).Tree.ReadFile("a.yaml"); err != nil || string(got) != "2" {
		t.Errorf("now that the server has it: got %q, %v", got, err)
	}
}

// TestNamesThatAreNoCommits asks for the objects of tags and files by name.
func TestNamesThatAreNoCommits(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	u.git("tag", "-a", "-m", "v1", "v1")
	u.git("config", "uploadpack.allowAnySHA1InWant", "true")
	r := newRemote(t, u.dir, access.Credential{})
	v := look(t, r)
	good := snapshot(t, v, "main").Tree
	for _, name := range []string{"v1", "HEAD:a.yaml", "HEAD^{tree}"} {
		if s, err := v.Snapshot(t.Context(), u.git("rev-parse", name)); err == nil {
			t.Errorf("%s is taken for %v", name, s)
		}
		if v.Stale() {
			t.Errorf("%s: the store is thrown away", name)
		}
	}
	if _, err := good.ReadFile("a.yaml"); err != nil {
		t.Error(err)
	}
}

// TestStoreMadeAnew has two who read one store.
func TestStoreMadeAnew(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "1")
	u.commit("first")
	one := newRemote(t, u.dir, access.Credential{})
	other := NewRemote(one.store, one.at, one.cred)
	before := look(t, other)
	snapshot(t, look(t, one), "main")
	one.store.damaged.Store(true)
	snapshot(t, look(t, one), "main")
	if !before.Stale() || one.store.Damaged() {
		t.Error("the other one does not know that the store is new")
	}
	if text, err := fs.ReadFile(snapshot(t, look(t, other), "main").Tree, "a.yaml"); err != nil || string(text) != "1" {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestSpoiltObjects has objects on the disk that nobody can read any more.
func TestSpoiltObjects(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"gone":    os.Remove,
		"garbage": func(file string) error { return os.WriteFile(file, []byte("garbage"), 0o600) },
		"empty":   func(file string) error { return os.Truncate(file, 0) },
	} {
		for _, object := range []string{"HEAD:d/a.yaml", "HEAD:d"} {
			u := newUpstream(t)
			u.write("d/a.yaml", "1")
			u.commit("first")
			r := newRemote(t, u.dir, access.Credential{})
			tree := snapshot(t, look(t, r), "main").Tree
			hash := u.git("rev-parse", object)
			file := filepath.Join(r.store.dir, "objects", hash[:2], hash[2:])
			if err := errors.Join(os.Chmod(file, 0o600), spoil(file)); err != nil {
				t.Fatal(err)
			}
			if text, err := tree.ReadFile("d/a.yaml"); err == nil || !r.store.Damaged() {
				t.Errorf("%s of %s is not noticed: %q, %v", object, name, text, err)
			}
			if text, err := snapshot(t, look(t, r), "main").Tree.ReadFile("d/a.yaml"); err != nil || string(text) != "1" {
				t.Errorf("%s of %s is not mended: %q, %v", object, name, text, err)
			}
		}
	}
}
