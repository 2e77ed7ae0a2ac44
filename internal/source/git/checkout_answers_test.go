package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func openCheckout(t *testing.T, dir string) *Checkout {
	t.Helper()
	s := newStore(t)
	k, err := OpenCheckout(t.Context(), s.command, dir, t.TempDir(), s.memory, s.limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.store.Close)
	return k
}

// TestAnswersOfACheckout: what Git finds nothing for is nothing, and no error.
func TestAnswersOfACheckout(t *testing.T) {
	u := newUpstream(t)
	u.write("a", "1")
	first := u.commit("first")
	u.git("tag", "-a", "-m", "x", "v1")
	u.git("checkout", "--quiet", "-b", "topic")
	topic := u.commit("topic")
	u.git("checkout", "--quiet", "--orphan", "apart")
	apart := u.commit("apart")
	u.git("checkout", "--quiet", "main")
	u.git("remote", "add", "origin", "https://git.example.org/one")
	u.git("remote", "set-url", "--add", "origin", "https://git.example.org/two")
	u.git("remote", "add", "a.b", "../elsewhere")
	k := openCheckout(t, u.dir)
	for revision, want := range map[string]string{
		"": first, "main": first, "v1": first, "topic": topic, "topic^": first, first[:8]: first, "HEAD:a": "", "none": "", "topic^^^": "", "--help": "", "main..topic": "", strings.Repeat("1", 40): "",
	} {
		if got, err := k.Resolve(t.Context(), revision); err != nil || got != want {
			t.Errorf("%q is %q, %v, want %q", revision, got, err, want)
		}
	}
	for reason, tc := range map[string]struct{ a, b, want string }{
		"where they parted":  {topic, first, first},
		"they never parted":  {apart, first, ""},
		"one is not there":   {first, strings.Repeat("1", 40), ""},
		"both are the same":  {topic, topic, topic},
		"in either order":    {first, topic, first},
		"what is no commit":  {"HEAD:a", first, ""},
		"what looks so only": {"--all", first, ""},
	} {
		if got, err := k.MergeBase(t.Context(), tc.a, tc.b); err != nil || got != tc.want {
			t.Errorf("%s: got %q, %v", reason, got, err)
		}
	}
	if got, err := k.Lines(t.Context(), "for-each-ref", "--format=%(refname)", "refs/heads/"); err != nil || strings.Join(got, " ") != "refs/heads/apart refs/heads/main refs/heads/topic" {
		t.Errorf("lines: %q, %v", got, err)
	}
	if got, err := k.Lines(t.Context(), "rev-parse", "--verify", "--quiet", "none"); err != nil || got != nil {
		t.Errorf("no lines: %q, %v", got, err)
	}
	want := map[string]string{"origin": "https://git.example.org/one", "a.b": "../elsewhere"}
	if got, err := k.Remotes(t.Context()); err != nil || !cmp.Equal(got, want) {
		t.Errorf("remotes: %v, %v", got, err)
	}
}

// TestCheckoutsAreFollowed: who keeps one open sees what its owner does meanwhile.
func TestCheckoutsAreFollowed(t *testing.T) {
	u := newUpstream(t)
	u.commit("first")
	k := openCheckout(t, u.dir)
	second := u.commit("second")
	u.git("branch", "late")
	u.git("remote", "add", "origin", "/x")
	if got, err := k.Resolve(t.Context(), "late"); err != nil || got != second {
		t.Errorf("a branch that is new: %q, %v", got, err)
	}
	u.git("branch", "-D", "late")
	if got, err := k.Resolve(t.Context(), "late"); err != nil || got != "" {
		t.Errorf("a branch that is gone: %q, %v", got, err)
	}
	if got, err := k.Remotes(t.Context()); err != nil || got["origin"] != "/x" {
		t.Errorf("a remote that is new: %v, %v", got, err)
	}
}

// TestWhatACheckoutLacks says how it is had: CI systems fetch less than all.
func TestWhatACheckoutLacks(t *testing.T) {
	u := newUpstream(t)
	u.write("a", "1")
	first := u.commit("first")
	u.write("a", "2")
	u.commit("second")
	shallow := &upstream{t, filepath.Join(t.TempDir(), "shallow")}
	u.git("clone", "--quiet", "--depth=1", "file://"+u.dir, shallow.dir)
	for name, tc := range map[string]struct {
		reason, dir, fix string
		shallow          bool
	}{
		"Shallow": {"the history is cut off", shallow.dir, "git fetch --unshallow", true},
		"Whole":   {"it is not, and something is gone", u.dir, "git fsck", false},
	} {
		t.Run(name, func(t *testing.T) {
			k := openCheckout(t, tc.dir)
			if k.Shallow() != tc.shallow {
				t.Errorf("%s: it is shallow: %t", tc.reason, k.Shallow())
			}
			lacking := first
			if !tc.shallow {
				lacking = strings.Repeat("1", sha1Digits)
			}
			_, err := k.Store().Snapshot(lacking, gitops.Origin{})
			if !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), tc.fix) || !strings.Contains(err.Error(), k.Common) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestFoldersThatAreNoRepository says which one was looked for, and how to name one.
func TestFoldersThatAreNoRepository(t *testing.T) {
	lay := map[string]struct {
		reason string
		make   func(t *testing.T, dir string)
		kind   gitops.ProblemKind
		text   string
	}{
		"Nothing":  {"there is no folder", func(t *testing.T, dir string) { remove(t, dir) }, gitops.NotFound, "no such file"},
		"Plain":    {"nor a repository above it", func(*testing.T, string) {}, gitops.NotFound, "not a git repository"},
		"Pointer":  {"a .git that says nothing", func(t *testing.T, dir string) { put(t, dir, ".git", "hello") }, gitops.NotFound, "gitdir: "},
		"Long":     {"a .git of many lines", func(t *testing.T, dir string) { put(t, dir, ".git", "gitdir: "+strings.Repeat("x", shortFile)) }, gitops.NotFound, "no file of one line"},
		"Lines":    {"a .git of two", func(t *testing.T, dir string) { put(t, dir, ".git", "gitdir: a\nb") }, gitops.NotFound, "gitdir: "},
		"Nowhere":  {"a .git that leads nowhere", func(t *testing.T, dir string) { put(t, dir, ".git", "gitdir: gone") }, gitops.NotFound, "no such file"},
		"Strayed":  {"a .git that leads to another one's", func(t *testing.T, dir string) { put(t, dir, ".git", "gitdir: "+bare(t)) }, gitops.Refused, "does not lead back"},
		"Link":     {"a link instead of .git", func(t *testing.T, dir string) { (&upstream{t, dir}).link(".git", bare(t)) }, gitops.Refused, "its .git is a link"},
		"Settings": {"a configuration that is none", func(t *testing.T, dir string) { layBare(t, dir); put(t, dir, "config", "[core") }, gitops.NotFound, "cannot open"},
		"Huge": {"a configuration without an end", func(t *testing.T, dir string) {
			layBare(t, dir)
			put(t, dir, "config", strings.Repeat("#\n", configLimit))
		}, gitops.NotFound, "no configuration of git"},
		"Reftable": {"references that are kept otherwise", func(t *testing.T, dir string) {
			layBare(t, dir)
			put(t, dir, "config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefstorage = reftable\n")
		}, gitops.Invalid, "git refs migrate"},
		"Borrowed": {"objects of another repository", func(t *testing.T, dir string) {
			layBare(t, dir)
			put(t, dir, "objects/info/alternates", "# mine\n\n/elsewhere\n")
		}, gitops.Refused, "git repack"},
	}
	for name, tc := range lay {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tc.make(t, dir)
			s := newStore(t)
			_, err := OpenCheckout(t.Context(), s.command, dir, t.TempDir(), s.memory, s.limit)
			if !gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), tc.text) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	(&upstream{t, dir}).write(name, text)
}

func remove(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}

// layBare makes a bare repository of a folder.
func layBare(t *testing.T, dir string) {
	t.Helper()
	(&upstream{t, dir}).git("init", "--quiet", "--bare")
}

func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	layBare(t, dir)
	return dir
}

// TestTopOfAPath finds the repository without looking into it.
func TestTopOfAPath(t *testing.T) {
	u := newUpstream(t)
	u.write("x/y", "1")
	u.write("odd/.git/notes", "a folder that is no repository")
	u.write("part/.git", "gitdir: ../.git/modules/part")
	inBare := bare(t)
	for name, want := range map[string]string{
		u.dir: u.dir, filepath.Join(u.dir, "x", "y"): u.dir, filepath.Join(u.dir, "none", "none"): u.dir,
		filepath.Join(u.dir, "odd", "x"): u.dir, filepath.Join(u.dir, "part", "z"): filepath.Join(u.dir, "part"),
		filepath.Join(inBare, "refs"): inBare, t.TempDir(): "",
	} {
		if got := Top(name); got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
	for dir, want := range map[string]bool{u.dir: true, inBare: true, filepath.Join(u.dir, "x"): false, filepath.Join(u.dir, "part"): true} {
		if got := IsRepository(dir); got != want {
			t.Errorf("%s is a repository: %t", dir, got)
		}
	}
}

// TestSettingsOfAStandIn takes over what says how files are stored, and nothing that
// names a command, a file or a place.
func TestSettingsOfAStandIn(t *testing.T) {
	dir := bare(t)
	put(t, dir, "included", "[core]\n\tautocrlf = input\n")
	put(t, dir, "config", `[core]
	autoCRLF = true
	fileMode
	sshCommand = evil
	hooksPath = /evil
	fsmonitor = evil
	worktree = /elsewhere
	attributesFile = /evil
[include]
	path = included
[filter "x"]
	clean = evil
[branch "a \"b\\c"]
	remote = origin
	merge = refs/heads/a
	pushRemote = evil
[remote "origin"]
	url = /evil
	uploadpack = evil
	fetch = +refs/heads/*:refs/remotes/origin/*
	fetch = +refs/tags/*:refs/tags/*
`)
	put(t, dir, "config.worktree", "[core]\n\tautocrlf = false\n")
	c := newStore(t).command
	said, err := c.settings(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text := said.text()
	if strings.Contains(text, "evil") || strings.Contains(text, "elsewhere") || strings.Contains(text, "input") {
		t.Errorf("it has what is not its own:\n%s", text)
	}
	stand := t.TempDir()
	put(t, stand, "config", text)
	got, err := c.settings(t.Context(), stand)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][]string{
		"core.autocrlf": {"true", "false"}, "core.filemode": {"true"}, `branch.a "b\c.remote`: {"origin"}, `branch.a "b\c.merge`: {"refs/heads/a"},
		"remote.origin.fetch": {"+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"}, `branch.a "b\c.pushremote`: nil,
	} {
		if d := cmp.Diff(want, got[key]); d != "" {
			t.Errorf("%s:\n%s", key, d)
		}
	}
	if said.last("core.autocrlf") != "false" || said.is("core.autocrlf") || !said.is("core.filemode") || said.is("core.none") {
		t.Error("the last of several values is the one that counts, and a key alone is true")
	}
}
