package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
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
	if got.Commit == head {
		t.Error("the edit was not seen")
	}
}

// TestEditedIsWhatGitAdds compares the engine's own reading of a work tree
// with what `git add -A` makes of the same one afterwards.
func TestEditedIsWhatGitAdds(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(u *upstream)
	}{
		"Nothing": {"without edits it is what was committed", func(*upstream) {}},
		"Files": {"files are edited, new and gone", func(u *upstream) {
			u.write("a.txt", "edited")
			u.write("new/b.txt", "new")
			u.remove("dir/c.txt")
		}},
		"Names": {"names may hold anything", func(u *upstream) {
			u.write("ü \"x\"\n.txt", "odd")
			u.write("-rf", "odd")
			u.write(":(top)x", "odd")
		}},
		"Ignored": {"what is ignored is left out, by whichever file", func(u *upstream) {
			u.write(".gitignore", "*.log\n!keep.log\n")
			u.write("dir/.gitignore", "/own\n")
			u.write(".git/info/exclude", "mine\n")
			for _, name := range []string{"x.log", "keep.log", "dir/own", "own", "mine"} {
				u.write(name, name)
			}
		}},
		"Executable": {"a file becomes a program", func(u *upstream) { u.git("update-index", "--refresh"); u.mode("a.txt", 0o755) }},
		"NoModes": {"a file system without modes shows programs everywhere", func(u *upstream) {
			u.git("config", "core.fileMode", "false")
			u.write("a.txt", "edited")
			u.mode("a.txt", 0o755)
		}},
		"FileToFolder": {"a folder takes the place of a file", func(u *upstream) { u.remove("a.txt"); u.write("a.txt/x", "1") }},
		"FolderToFile": {"a file takes the place of a folder", func(u *upstream) { u.remove("dir"); u.write("dir", "1") }},
		"Link":         {"a link takes the place of a file", func(u *upstream) { u.remove("a.txt"); u.link("a.txt", "dir/c.txt") }},
		"FolderToLink": {"a link takes the place of a folder", func(u *upstream) { u.remove("dir"); u.link("dir", "/etc") }},
		"Pipe":         {"what is no file at all is none", func(u *upstream) { u.pipe("new") }},
		"LineEnds": {"attributes say how line ends are kept", func(u *upstream) {
			u.write(".gitattributes", "* text=auto\n*.bat eol=crlf\n*.bin -text\n")
			for _, name := range []string{"a.txt", "x.bat", "x.bin"} {
				u.write(name, "1\r\n2\r\n")
			}
		}},
		"AutoCRLF": {"and so does the configuration", func(u *upstream) {
			u.git("config", "core.autocrlf", "true")
			u.write("a.txt", "1\r\n2\r\n")
		}},
		"Staged": {"what is staged counts, and what was edited after it", func(u *upstream) {
			u.write("a.txt", "staged")
			u.write("s.txt", "staged")
			u.git("add", "-A")
			u.write("a.txt", "edited")
		}},
		"Intended": {"a file may be promised only", func(u *upstream) { u.write("n.txt", "1"); u.git("add", "-N", "n.txt") }},
		"Unmerged": {"a conflict is what stands in the file", func(u *upstream) {
			u.git("checkout", "--quiet", "-b", "other", "HEAD")
			u.write("a.txt", "theirs")
			u.write("dir/c.txt", "theirs")
			u.commit("theirs")
			u.git("checkout", "--quiet", "main")
			u.write("a.txt", "ours")
			u.remove("dir/c.txt")
			u.commit("ours")
			u.fails("merge", "other")
		}},
		"SplitIndex": {"the index may be in two files", func(u *upstream) {
			u.git("update-index", "--split-index")
			u.write("a.txt", "edited")
			u.git("add", "a.txt")
			u.write("dir/c.txt", "edited")
		}},
		"Sparse": {"what is not checked out is not gone", func(u *upstream) {
			u.git("sparse-checkout", "set", "--sparse-index", "other")
			u.write("a.txt", "edited")
		}},
		"Skipped": {"what its user keeps from git is kept", func(u *upstream) {
			u.git("update-index", "--skip-worktree", "a.txt")
			u.write("a.txt", "private")
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t)
			u.write("a.txt", "a")
			u.write("dir/c.txt", "c")
			u.commit("first")
			tc.edit(u)
			head := u.git("rev-parse", "HEAD")
			s := newStore(t)
			k, err := OpenCheckout(t.Context(), s.command, u.dir, t.TempDir(), s.memory, s.limit)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(k.store.Close)
			got, err := k.Edited(t.Context(), head, time.Unix(0, 0))
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			tree, err := k.run(t.Context(), "ls-tree", "-r", got.Commit)
			if err != nil {
				t.Fatal(err)
			}
			u.git("add", "-A")
			if want := u.git("ls-tree", "-r", u.git("write-tree")); tree != want {
				t.Errorf("%s: got\n%s\nwant\n%s", tc.reason, tree, want)
			}
			if len(got.Filtered) > 0 {
				t.Errorf("%s: %v has no filter", tc.reason, got.Filtered)
			}
		})
	}
}

// TestFilteredIsTold: a file that a filter would change stands as it is.
func TestFilteredIsTold(t *testing.T) {
	u := newUpstream(t)
	u.write(".gitattributes", "*.bin filter=lfs\n*.txt filter\n*.md -filter\n")
	u.commit("first")
	u.git("config", "filter.lfs.clean", "echo pointer")
	for _, name := range []string{"big.bin", "a.txt", "b.md", "c.yaml"} {
		u.write(name, "as it stands")
	}
	s := newStore(t)
	k, err := OpenCheckout(t.Context(), s.command, u.dir, t.TempDir(), s.memory, s.limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.store.Close)
	got, err := k.Edited(t.Context(), u.git("rev-parse", "HEAD"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"big.bin"}, got.Filtered); diff != "" {
		t.Error(diff)
	}
	if text, err := k.run(t.Context(), "show", got.Commit+":big.bin"); text != "as it stands" {
		t.Errorf("got %q, %v", text, err)
	}
	head := u.commit("kept as a pointer")
	if got, err := k.Edited(t.Context(), head, time.Unix(0, 0)); err != nil || got.Commit != head || len(got.Filtered) > 0 {
		t.Errorf("nobody edited it since: %+v, %v", got, err)
	}
}

// TestNamesOfGit are those that need more than branches and tags.
func TestNamesOfGit(t *testing.T) {
	origin := newUpstream(t)
	origin.write("a.txt", "1")
	first := origin.commit("first")
	u := &upstream{t, filepath.Join(t.TempDir(), "clone")}
	origin.git("clone", "--quiet", origin.dir, u.dir)
	u.write("a.txt", "2")
	second := u.commit("second")
	u.git("fetch", "--quiet", "origin", "main")
	s := newStore(t)
	k, err := OpenCheckout(t.Context(), s.command, u.dir, t.TempDir(), s.memory, s.limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.store.Close)
	for name, tc := range map[string]struct{ reason, want string }{
		"@{upstream}":     {"what the branch follows", first},
		"FETCH_HEAD":      {"what was fetched last", first},
		"main@{1}":        {"where the branch was before", first},
		"HEAD^{/first}":   {"an ancestor by its message", first},
		"refs/heads/main": {"a name in full", second},
	} {
		if got, err := k.Resolve(t.Context(), name); got != tc.want || err != nil {
			t.Errorf("%s: %s is %q, %v, want %q", tc.reason, name, got, err, tc.want)
		}
	}
	third := u.commit("third")
	if got, err := k.Resolve(t.Context(), "HEAD"); got != third || err != nil {
		t.Errorf("a commit made meanwhile: %q, %v", got, err)
	}
}

// TestPlaces are the ways in which git lays a repository out.
func TestPlaces(t *testing.T) {
	cases := map[string]struct {
		reason string
		lay    func(u *upstream) string
	}{
		"Folder": {"below a folder of the work tree", func(u *upstream) string { u.write("x/y/z", ""); return filepath.Join(u.dir, "x", "y") }},
		"Submodule": {"a submodule, whose .git is a file", func(u *upstream) string {
			u.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", u.dir, "part")
			return filepath.Join(u.dir, "part")
		}},
		"Apart": {"a repository apart from its work tree, which it names", func(u *upstream) string {
			dir := filepath.Join(u.t.TempDir(), "tree")
			u.git("clone", "--quiet", "--separate-git-dir", filepath.Join(u.t.TempDir(), "git"), u.dir, dir)
			(&upstream{u.t, dir}).git("config", "core.worktree", dir)
			return dir
		}},
		"Linked": {"a linked work tree of a bare repository", func(u *upstream) string {
			dir := u.t.TempDir()
			u.git("clone", "--quiet", "--bare", u.dir, filepath.Join(dir, ".bare"))
			u.git("--git-dir", filepath.Join(dir, ".bare"), "worktree", "add", "--quiet", filepath.Join(dir, "tree"), "main")
			return filepath.Join(dir, "tree")
		}},
		"Around": {"the folder around it, whose .git leads inside", func(u *upstream) string {
			dir := u.t.TempDir()
			u.git("clone", "--quiet", "--bare", u.dir, filepath.Join(dir, ".bare"))
			(&upstream{u.t, dir}).write(".git", "gitdir: ./.bare\n")
			return dir
		}},
		"Sha256": {"another hash function", func(u *upstream) string {
			v := &upstream{u.t, u.t.TempDir()}
			v.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
			v.write("a.txt", "1")
			v.commit("first")
			return v.dir
		}},
		"Link": {"a link to the work tree", func(u *upstream) string {
			name := filepath.Join(u.t.TempDir(), "link")
			if err := os.Symlink(u.dir, name); err != nil {
				u.t.Fatal(err)
			}
			return name
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t)
			u.write("a.txt", "1")
			u.commit("first")
			dir := tc.lay(u)
			s := newStore(t)
			k, err := OpenCheckout(t.Context(), s.command, dir, t.TempDir(), s.memory, s.limit)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			t.Cleanup(k.store.Close)
			head, err := k.Resolve(t.Context(), "main")
			if err != nil {
				t.Fatal(err)
			}
			snap, err := k.Store().Snapshot(head, gitops.Origin{})
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if text, err := snap.Tree.ReadFile("a.txt"); string(text) != "1" {
				t.Errorf("%s: got %q, %v", tc.reason, text, err)
			}
			if k.Top == "" {
				return
			}
			if _, err := k.Edited(t.Context(), head, time.Unix(0, 0)); err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

func (u *upstream) remove(name string) {
	u.t.Helper()
	if err := os.RemoveAll(filepath.Join(u.dir, name)); err != nil {
		u.t.Fatal(err)
	}
}

func (u *upstream) mode(name string, mode os.FileMode) {
	u.t.Helper()
	if err := os.Chmod(filepath.Join(u.dir, name), mode); err != nil {
		u.t.Fatal(err)
	}
}

func (u *upstream) pipe(name string) {
	u.t.Helper()
	if err := syscall.Mkfifo(filepath.Join(u.dir, name), 0o600); err != nil {
		u.t.Fatal(err)
	}
}

// fails runs what ends with a conflict.
func (u *upstream) fails(args ...string) {
	u.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", u.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
	if out, err := cmd.CombinedOutput(); err == nil {
		u.t.Fatalf("git %v: no conflict\n%s", args, out)
	}
}

// crafted is an index with one entry in conflict, of whatever name: git itself writes none
// such, and reads it.
func crafted(name string) []byte {
	var entry bytes.Buffer
	for _, n := range []uint32{0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0} {
		_ = binary.Write(&entry, binary.BigEndian, n)
	}
	entry.Write(bytes.Repeat([]byte{1}, sha1.Size))
	_ = binary.Write(&entry, binary.BigEndian, uint16(1<<12|len(name)))
	entry.WriteString(name)
	entry.Write(make([]byte, 8-entry.Len()%8))
	index := append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"), entry.Bytes()...)
	sum := sha1.Sum(index)
	return append(index, sum[:]...)
}

// TestIndexOfAStranger: the names of an index lead nowhere else, neither by themselves nor
// by links of the work tree.
func TestIndexOfAStranger(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, path, link, to string
		fails                  bool
	}{
		"Dots":    {"a link, and folders above where it leads, which are others above where files are copied", "0/../../../../victim", "0", "a/b/c/d", true},
		"Above":   {"folders above the work tree", "../victim", "", "", true},
		"Through": {"a file beyond a link, which git takes for gone", "away/victim", "away", "a/b", false},
	} {
		t.Run(name, func(t *testing.T) {
			u, scratch := newUpstream(t), t.TempDir()
			for _, file := range []string{"a/b/c/d/x", "a/b/victim", "victim"} {
				u.write(file, "written by the checkout")
			}
			head := u.commit("first")
			if tc.link != "" {
				u.link(tc.link, tc.to)
			}
			u.write(".git/index", string(crafted(tc.path)))
			s := newStore(t)
			k, err := OpenCheckout(t.Context(), s.command, u.dir, scratch, s.memory, s.limit)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = k.Edited(t.Context(), head, time.Now()); (err != nil) != tc.fails || err != nil && !strings.Contains(err.Error(), "no path of the work tree") {
				t.Errorf("%s: %v", tc.reason, err)
			}
			for dir := scratch; dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
				if _, err := os.Lstat(filepath.Join(dir, "victim")); err == nil && dir != u.dir {
					t.Errorf("%s: %s was written", tc.reason, filepath.Join(dir, "victim"))
				}
			}
		})
	}
}
