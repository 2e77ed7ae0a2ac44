package git

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestShallowCommitsOfAFetch: a fetch tells the store which commits came without
// their history, and which have it now; others told it of theirs meanwhile.
func TestShallowCommitsOfAFetch(t *testing.T) {
	for name, tc := range map[string]struct{ reason, had, came, now, want string }{
		"New":        {"a commit came alone", "a", "a b", "a", "a b"},
		"First":      {"the first one", "", "a", "", "a"},
		"Deepened":   {"the history came", "a b", "b", "a b", "b"},
		"All":        {"all of it", "a b", "", "a b", ""},
		"Meanwhile":  {"another fetch brought one", "a", "a b", "a c", "a b c"},
		"Both":       {"while the history of a third came", "a", "b", "a c", "b c"},
		"Nothing":    {"what did not change is not written", "a", "a", "c", "c"},
		"Elsewhere":  {"what another fetch deepened meanwhile stays so", "a b", "a b d", "b", "b d"},
		"GoneBefore": {"somebody else deepened it, too", "a b", "b", "b c", "b c"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			in := &incoming{store: s, dir: t.TempDir(), shallow: set(tc.had)}
			if err := os.MkdirAll(s.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for dir, all := range map[string]string{in.dir: tc.came, s.dir: tc.now} {
				if err := writeShallow(dir, set(all)); err != nil {
					t.Fatal(err)
				}
			}
			if err := in.moveShallow(); err != nil {
				t.Fatal(err)
			}
			got, err := readShallow(s.dir)
			if words := strings.Join(slices.Sorted(maps.Keys(got)), " "); err != nil || words != tc.want {
				t.Errorf("%s: got %q, %v, want %q", tc.reason, words, err, tc.want)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "shallow")); os.IsNotExist(err) != (tc.want == "") {
				t.Errorf("%s: git takes a repository with an empty file for a shallow one: %v", tc.reason, err)
			}
		})
	}
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

// TestObjectsThatCame: packs and loose objects come into the store, and nothing that
// git left which it did not finish, or which says where others lie.
func TestObjectsThatCame(t *testing.T) {
	s := newStore(t)
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	in := &incoming{store: s, dir: t.TempDir()}
	for _, name := range []string{"pack/pack-1.idx", "pack/pack-1.pack", "pack/pack-1.rev", "pack/tmp_pack_x", "pack/pack-1.keep", "ab/0123", "ab/tmp_obj_x", "info/alternates", "xy/0123", "abc/0123"} {
		put(t, in.dir, "objects/"+name, "came")
	}
	put(t, s.dir, "objects/ab/0123", "was there")
	if err := in.moveObjects(); err != nil {
		t.Fatal(err)
	}
	got, err := filepath.Glob(filepath.Join(s.dir, "objects", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range got {
		got[i] = strings.TrimPrefix(name, filepath.Join(s.dir, "objects")+"/")
	}
	if want := []string{"ab/0123", "pack/pack-1.idx", "pack/pack-1.pack", "pack/pack-1.rev"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if text, err := os.ReadFile(filepath.Join(s.dir, "objects", "ab", "0123")); err != nil || string(text) != "was there" {
		t.Errorf("what is there is read by others: %q, %v", text, err)
	}
}

// TestRepositoriesOfTheEngineItself: a cache may lie where others write.
func TestRepositoriesOfTheEngineItself(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store.git")
	if err := makeBare(dir, bareConfig(sha1Format)); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	put(t, elsewhere, "precious", "1")
	for _, name := range []string{"hooks/post-checkout", "info/attributes", "config.worktree", "objects/info/alternates", "worktrees/x/HEAD", "commondir"} {
		put(t, dir, name, "evil")
	}
	put(t, dir, "config", "[core]\n\tfsmonitor = evil\n")
	put(t, dir, "HEAD", "ref: refs/hea") // cut off
	remove(t, filepath.Join(dir, "objects", "pack"))
	(&upstream{t, dir}).link("objects/pack", elsewhere)
	if err := makeBare(dir, bareConfig(sha1Format)); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(slices.Clone(foreignParts), "objects/pack/precious") {
		if _, err := os.Lstat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	for name, want := range map[string]string{"config": bareConfig(sha1Format), "HEAD": "ref: refs/heads/main\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "precious")); err != nil {
		t.Errorf("what a link led to was somebody else's: %v", err)
	}
	put(t, dir, "HEAD", "ref: refs/heads/other\n")
	if err := makeBare(dir, bareConfig(sha1Format)); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "HEAD")); err != nil || string(got) != "ref: refs/heads/other\n" {
		t.Errorf("a whole HEAD stays: %q, %v", got, err)
	}
}

// TestLeftoversOfAKilledProcess go at the next start, and nothing else does.
func TestLeftoversOfAKilledProcess(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"incoming-1/objects/x", "listing-2", "store/keep", "listings"} {
		put(t, home, name, "1")
	}
	if _, err := NewCommand(home, 0); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"incoming-1": false, "listing-2": false, "store/keep": true, "listings": true} {
		if _, err := os.Stat(filepath.Join(home, name)); os.IsNotExist(err) == want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
