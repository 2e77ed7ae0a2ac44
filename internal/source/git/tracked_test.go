package git

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTrackedPaths: what is kept of secrets and caches beside a checkout must not be
// what somebody commits, on whatever disk they check it out.
func TestTrackedPaths(t *testing.T) {
	u := newUpstream(t)
	for _, name := range []string{"Dir/Sub/b.yaml", "a.yaml", "[x].yaml", "x.yaml", "ab/c", "star*/d", "two\nlines"} {
		u.write(name, "1")
	}
	u.commit("first")
	u.write("staged/s", "1")
	u.git("add", "staged/s")
	u.write("loose/l", "1")
	if err := os.Remove(filepath.Join(u.dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	k := openCheckout(t, u.dir)
	for name, tc := range map[string]struct{ reason, path, want string }{
		"File":      {"the file itself, though it was removed: it is still to be committed", "a.yaml", "a.yaml"},
		"Folder":    {"the first below a folder", "Dir", "Dir/Sub/b.yaml"},
		"Case":      {"in letters of either case", "dir/SUB", "Dir/Sub/b.yaml"},
		"Begins":    {"a name that only begins so is another one", "a", ""},
		"Brackets":  {"brackets are no pattern", "[x].yaml", "[x].yaml"},
		"Pattern":   {"nor are stars", "st*", ""},
		"Star":      {"but they are names", "star*", "star*/d"},
		"Magic":     {"what Git takes for a command in a path is a name, too", ":(glob)**", ""},
		"Lines":     {"also one with a line break", "two\nlines", "two\nlines"},
		"Staged":    {"what will be committed next counts", "staged", "staged/s"},
		"Untracked": {"what nobody added does not", "loose", ""},
		"Nowhere":   {"nor does what is not there", "none", ""},
		"Top":       {"the top has all", ".", "Dir/Sub/b.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := k.Tracked(t.Context(), tc.path); err != nil || got != tc.want {
				t.Errorf("%s: got %q, %v, want %q", tc.reason, got, err, tc.want)
			}
		})
	}
	below := openCheckout(t, filepath.Join(u.dir, "Dir"))
	if got, err := below.Tracked(t.Context(), "Sub"); err != nil || got != "" {
		t.Errorf("paths are those of the whole work tree: %q, %v", got, err)
	}
	bare := &upstream{t, filepath.Join(t.TempDir(), "bare")}
	u.git("clone", "--quiet", "--bare", u.dir, bare.dir)
	if got, err := openCheckout(t, bare.dir).Tracked(t.Context(), "x.yaml"); err != nil || got != "" {
		t.Errorf("a repository without a work tree has none: %q, %v", got, err)
	}
}

// TestSharedFolders: an Application may name the checkout by another path or by another
// of its work trees, which then has what is edited here; a clone has not.
func TestSharedFolders(t *testing.T) {
	u := newUpstream(t)
	u.write("dir/a", "1")
	u.commit("first")
	root := t.TempDir()
	tree, clone, link := filepath.Join(root, "tree"), filepath.Join(root, "clone"), filepath.Join(root, "link")
	u.git("worktree", "add", "--quiet", "-b", "topic", tree)
	u.git("clone", "--quiet", u.dir, clone)
	inner := &upstream{t, filepath.Join(u.dir, "inner")}
	u.git("init", "--quiet", inner.dir)
	if err := os.Symlink(u.dir, link); err != nil {
		t.Fatal(err)
	}
	k := openCheckout(t, u.dir)
	for name, tc := range map[string]struct {
		reason, folder string
		want           bool
	}{
		"Itself": {"the checkout", u.dir, true},
		"Below":  {"a folder of it", filepath.Join(u.dir, "dir"), true},
		"Git":    {"its own .git", filepath.Join(u.dir, ".git"), true},
		"Tree":   {"another work tree", tree, true},
		"Link":   {"by a link", link, true},
		"Clone":  {"a clone has branches of its own", clone, false},
		"Inner":  {"so has a repository inside of it", inner.dir, false},
		"Other":  {"a folder of no repository", root, false},
		"None":   {"one that is not there", filepath.Join(root, "none"), false},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second answer is what was kept of the first
				if _, got := k.Shared(t.Context(), tc.folder); got != tc.want {
					t.Errorf("%s: got %v", tc.reason, got)
				}
			}
		})
	}
}
