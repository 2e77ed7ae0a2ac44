package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// upstream is a repository that tests write to.
type upstream struct {
	t   testing.TB
	dir string
}

func newUpstream(t testing.TB) *upstream {
	t.Helper()
	u := &upstream{t, t.TempDir()}
	u.git("init", "--quiet", "--initial-branch=main")
	return u
}

func (u *upstream) git(args ...string) string {
	u.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", u.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (u *upstream) write(name, content string) {
	u.t.Helper()
	path := filepath.Join(u.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

func (u *upstream) link(name, target string) {
	u.t.Helper()
	if err := os.Symlink(target, filepath.Join(u.dir, name)); err != nil {
		u.t.Fatal(err)
	}
}

func (u *upstream) commit(message string) string {
	u.t.Helper()
	u.git("add", "-A")
	u.git("commit", "--quiet", "--allow-empty", "-m", message)
	return u.git("rev-parse", "HEAD")
}

func newStore(t testing.TB) *Store {
	t.Helper()
	dir := t.TempDir()
	c, err := NewCommand(filepath.Join(dir, "home"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	s := NewStore(c, filepath.Join(dir, "store.git"), cache.New[string, any](8<<20), 1<<20)
	t.Cleanup(s.Close)
	return s
}

func open(cred access.Credential) Credential {
	return func(context.Context) (access.Credential, error) { return cred, nil }
}

func newRemote(t testing.TB, raw string, cred access.Credential) *Remote {
	t.Helper()
	at, err := address.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return NewRemote(newStore(t), at, open(cred))
}

func look(t testing.TB, r *Remote) *View {
	t.Helper()
	v, err := r.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func snapshot(t testing.TB, v *View, revision string) *gitops.Snapshot {
	t.Helper()
	s, err := v.Snapshot(t.Context(), revision)
	if err != nil {
		t.Fatalf("revision %q: %v", revision, err)
	}
	return s
}

func TestTree(t *testing.T) {
	u := newUpstream(t)
	u.write("a.txt", "a")
	u.write("a/b.yaml", "kind: B")
	u.write("a/c/d.yaml", "kind: D")
	u.write("ü \"x\".txt", "odd")
	u.commit("first\n\nmore")
	tree := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), "").Tree
	if err := fstest.TestFS(tree, "a.txt", "a/b.yaml", "a/c/d.yaml", "ü \"x\".txt"); err != nil {
		t.Error(err)
	}
	want := u.git("rev-parse", "HEAD:a")
	if got, err := tree.Digest("a"); err != nil || got != want {
		t.Errorf("the digest of a folder is its tree: got %s, %v; want %s", got, err, want)
	}
	if _, err := tree.Digest("a/nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"../x", "/etc/passwd", "a/../b"} {
		var p *gitops.Problem
		if _, err := tree.ReadFile(name); !errors.As(err, &p) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRevisions(t *testing.T) {
	u := newUpstream(t)
	u.write("v", "1")
	first := u.commit("first")
	u.git("tag", "v1.0.0")
	u.write("v", "2")
	second := u.commit("second")
	u.git("tag", "-a", "-m", "x", "v1.2.0")
	u.git("branch", "feature/x")
	u.write("v", "3")
	third := u.commit("third")
	u.git("update-ref", "refs/pull/7/head", second)
	cases := map[string]struct{ reason, revision, want string }{
		"empty":     {"nothing means HEAD", "", third},
		"HEAD":      {"HEAD", "HEAD", third},
		"branch":    {"a branch with a slash", "feature/x", second},
		"tag":       {"a light tag", "v1.0.0", first},
		"annotated": {"an annotated tag is the commit behind it", "v1.2.0", second},
		"ref":       {"a full reference", "refs/heads/main", third},
		"heads":     {"without refs/", "heads/main", third},
		"pull":      {"any other reference", "refs/pull/7/head", second},
		"range":     {"the newest tag in a range", "1.x", second},
		"interval":  {"two bounds", ">=1.0 <1.2", first},
		"star":      {"any tag", "*", second},
		"full":      {"a full commit in the history", first, first},
		"short":     {"an abbreviated one", first[:8], first},
		"tip":       {"an abbreviated tip", third[:7], third},
		"upper":     {"hashes in capitals", strings.ToUpper(second), second},
	}
	v := look(t, newRemote(t, u.dir, access.Credential{}))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := snapshot(t, v, c.revision); got.Revision != c.want {
				t.Errorf("%s: got %s, want %s", c.reason, got.Revision, c.want)
			}
		})
	}
	got := snapshot(t, v, "main").Commit
	if got.Author != "Ann <ann@example.org>" || got.Message != "third" || time.Since(got.Date) > time.Hour {
		t.Errorf("commit: %+v", got)
	}
}

// TestCommitsAreNoNames has references that are named as a commit is.
func TestCommitsAreNoNames(t *testing.T) {
	u := newUpstream(t)
	u.write("a.yaml", "pinned")
	pinned := u.commit("first")
	u.write("a.yaml", "other")
	other := u.commit("second")
	u.git("update-ref", "refs/heads/"+pinned, other)
	u.git("tag", "-a", "-m", "t", pinned, other)
	u.git("update-ref", "refs/heads/"+strings.Repeat("ab", 32), pinned)
	v := look(t, newRemote(t, u.dir, access.Credential{}))
	for _, revision := range []string{pinned, strings.ToUpper(pinned), "refs/heads/" + strings.Repeat("ab", 32), strings.Repeat("ab", 32)} {
		if got := snapshot(t, v, revision); got.Revision != pinned {
			t.Errorf("%s is %s", revision, got.Revision)
		}
	}
	if tag, err := v.Tag(t.Context(), pinned, pinned); tag != nil || err != nil {
		t.Errorf("the signature that counts is of %v, %v", tag, err)
	}
}

func TestUnknownRevisions(t *testing.T) {
	u := newUpstream(t)
	u.commit("first")
	u.git("branch", "production")
	u.git("tag", "v1.0.0")
	v := look(t, newRemote(t, u.dir, access.Credential{}))
	cases := map[string]struct {
		reason, revision string
		kind             gitops.ProblemKind
		want             string
	}{
		"name":   {"the nearest name is told", "producton", gitops.NotFound, "production"},
		"range":  {"tags are told", ">=2", gitops.NotFound, "v1.0.0"},
		"commit": {"a commit that was not pushed", strings.Repeat("1", 40), gitops.NotFound, "pushed"},
		"short":  {"half a commit", "1111111", gitops.NotFound, "main"},
		"option": {"an option", "--upload-pack=x", gitops.Invalid, "dash"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := v.Snapshot(t.Context(), c.revision)
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want kind %d and %q", c.reason, err, c.kind, c.want)
			}
		})
	}
}

func TestLinks(t *testing.T) {
	u := newUpstream(t)
	u.write("base/file", "content")
	u.write("app/own", "own")
	u.link("app/file", "../base/file")
	u.link("app/folder", "../base")
	u.link("app/gone", "../nothing")
	u.link("app/out", "../../outside")
	u.link("app/absolute", "/etc/passwd")
	u.link("app/circle", "circle")
	u.commit("links")
	remote := newRemote(t, u.dir, access.Credential{})
	tree := snapshot(t, look(t, remote), "main").Tree
	for _, name := range []string{"app/file", "app/folder/file"} {
		if data, err := tree.ReadFile(name); err != nil || string(data) != "content" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := tree.Stat("app/gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing: %v", err)
	}
	for _, name := range []string{"app/out", "app/absolute"} {
		if _, err := tree.ReadFile(name); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := tree.Open("app/circle"); err == nil || !strings.Contains(err.Error(), "symbolic links") {
		t.Errorf("a circle: %v", err)
	}
	before, err := tree.Digest("app")
	if err != nil {
		t.Fatal(err)
	}
	u.write("base/file", "changed")
	u.commit("target")
	after, err := snapshot(t, look(t, remote), "main").Tree.Digest("app")
	if err != nil || before == after {
		t.Errorf("a folder's digest covers what its links lead to: %s, %v", after, err)
	}
}

func TestLargeFile(t *testing.T) {
	u := newUpstream(t)
	u.write("small", "s")
	f, err := os.Create(filepath.Join(u.dir, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(200<<20), f.Close()); err != nil {
		t.Fatal(err)
	}
	u.commit("large")
	tree := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), "main").Tree
	if info, err := tree.Stat("large"); err != nil || info.Size() != 200<<20 {
		t.Errorf("stat: %v, %v", info, err)
	}
	var p *gitops.Problem
	if _, err := tree.ReadFile("large"); !errors.As(err, &p) || p.Kind != gitops.Invalid || !strings.Contains(err.Error(), "large") {
		t.Errorf("read: %v", err)
	}
	if data, err := tree.ReadFile("small"); err != nil || string(data) != "s" {
		t.Errorf("others can still be read: %q, %v", data, err)
	}
}

func TestDamagedStoreIsFetchedAgain(t *testing.T) {
	u := newUpstream(t)
	u.write("a", "1")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	tree := snapshot(t, look(t, r), "main").Tree
	if err := os.RemoveAll(filepath.Join(r.store.dir, "objects")); err != nil {
		t.Fatal(err)
	}
	r.store.Rest(time.Now().Add(time.Hour))
	_, err := tree.ReadFile("a")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable {
		t.Fatalf("got %v", err)
	}
	v := look(t, r)
	if data, err := snapshot(t, v, "main").Tree.ReadFile("a"); err != nil || string(data) != "1" {
		t.Errorf("after a new look-up: %q, %v", data, err)
	}
}

func TestSubmodulesAreLeftOut(t *testing.T) {
	inner, u := newUpstream(t), newUpstream(t)
	inner.commit("inner")
	u.write("a", "1")
	u.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "lib")
	u.commit("with a submodule")
	tree := snapshot(t, look(t, newRemote(t, u.dir, access.Credential{})), "main").Tree
	list, err := tree.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{".gitmodules", "a"}, names); d != "" {
		t.Error(d)
	}
	if _, err := tree.Open("lib"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "submodule") {
		t.Errorf("got %v", err)
	}
}

func TestLookIsCheapForLocalRepositories(t *testing.T) {
	u := newUpstream(t)
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	v := look(t, r)
	if look(t, r) != v {
		t.Error("nothing moved: the same view")
	}
	u.commit("second")
	if look(t, r) == v {
		t.Error("a branch moved: another view")
	}
}

func TestMissingRepository(t *testing.T) {
	_, err := newRemote(t, filepath.Join(t.TempDir(), "none"), access.Credential{}).Look(t.Context())
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.NotFound {
		t.Errorf("got %v", err)
	}
}

func BenchmarkReadFile(b *testing.B) {
	u := newUpstream(b)
	u.write("dir/file", "content")
	u.commit("first")
	r := newRemote(b, u.dir, access.Credential{})
	snapshot(b, look(b, r), "main")
	hash := u.git("rev-parse", "HEAD:dir/file")
	b.ResetTimer()
	for b.Loop() {
		if _, _, err := r.store.objects.read(hash, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}

func TestManyFetchesStayReadable(t *testing.T) {
	u := newUpstream(t)
	u.write("a", "first")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	first := snapshot(t, look(t, r), "main")
	r.store.written = untidy - 2 // the second of these fetches packs the store
	for _, text := range []string{"second", "third"} {
		u.write("a", text)
		u.commit(text)
		if data, err := snapshot(t, look(t, r), "main").Tree.ReadFile("a"); err != nil || string(data) != text {
			t.Errorf("%q, %v", data, err)
		}
	}
	if r.store.written != 0 {
		t.Error("the store was not packed")
	}
	if data, err := first.Tree.ReadFile("a"); err != nil || string(data) != "first" {
		t.Errorf("%q, %v", data, err)
	}
	loose, err := filepath.Glob(filepath.Join(r.store.dir, "objects", "??"))
	if err != nil || len(loose) > 0 {
		t.Errorf("loose objects are left: %v, %v", loose, err)
	}
}
