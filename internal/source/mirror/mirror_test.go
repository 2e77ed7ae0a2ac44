package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

func TestParse(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"no sign":  {"nothing to split at", "https://github.com/org/repo", "URL=PATH"},
		"no path":  {"nothing after the sign", "https://github.com/org/repo=", "empty"},
		"no url":   {"nothing before the sign", "=/srv", "empty"},
		"scheme":   {"an unknown scheme", "gopher://x=/srv", "gopher"},
		"password": {"a secret in a flag", "https://me:hunter2@h/x=/srv", "leave the password out"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
			}
		})
	}
	m, err := Parse("public.ecr.aws/ns=charts?worktree")
	if err != nil || !filepath.IsAbs(m.Path) || !m.WorkTree || m.URL != "public.ecr.aws/ns" {
		t.Errorf("got %+v, %v", m, err)
	}
	if err := (Mirror{URL: "https://h/x", Path: filepath.Join(t.TempDir(), "none")}).Check(); err == nil {
		t.Error("a folder that is not there cannot be served")
	}
}

func TestFind(t *testing.T) {
	table := NewTable([]Mirror{
		{URL: "https://github.com/org/repo.git", Path: "/exact"},
		{URL: "https://github.com/org/", Path: "/org"},
		{URL: "https://github.com/org", Path: "/later"},
		{URL: "public.ecr.aws", Path: "/ecr"},
	})
	cases := map[string]struct{ reason, name, path, rest string }{
		"exact":   {"the whole address", "github.com/org/repo", "/exact", ""},
		"prefix":  {"a later one replaces an earlier one", "github.com/org/other", "/later", "other"},
		"segment": {"names are compared as a whole", "github.com/organisation/x", "", ""},
		"bare":    {"no scheme", "public.ecr.aws/a/b", "/ecr", "a/b"},
		"escape":  {"a name cannot leave the folder", "github.com/org/../../etc", "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m, rest, _ := table.Find(c.name)
			if m.Path != c.path || rest != c.rest {
				t.Errorf("%s: got %q and %q", c.reason, m.Path, rest)
			}
		})
	}
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func newFolder(t testing.TB, dir, cacheDir string) *Folder {
	t.Helper()
	c, err := git.NewCommand(filepath.Join(cacheDir, "home"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	s := git.NewStore(c, filepath.Join(cacheDir, "store.git"), cache.New[string, any](1<<20), 1<<20)
	t.Cleanup(s.Close)
	return NewFolder(dir, s, 1000)
}

func read(t testing.TB, f *Folder, revision, name string) (commit, content string) {
	t.Helper()
	v, err := f.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.Snapshot(t.Context(), revision)
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Tree.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s.Revision, string(data)
}

func TestFolder(t *testing.T) {
	dir, cacheDir := t.TempDir(), t.TempDir()
	write(t, dir, "a/x.yaml", "1")
	write(t, dir, "b \"q\"\n.yaml", "odd name")
	write(t, dir, "inner/.git/HEAD", "not ours")
	write(t, dir, ".gitignore", "*")
	write(t, dir, ".gitattributes", "* text eol=crlf")
	f := newFolder(t, dir, cacheDir)
	first, content := read(t, f, "main", "a/x.yaml")
	if content != "1" {
		t.Errorf("got %q", content)
	}
	if again, _ := read(t, f, "any-name", "b \"q\"\n.yaml"); again != first {
		t.Error("nothing changed: the same commit under every name")
	}
	write(t, dir, "a/x.yaml", "2")
	if err := os.Remove(filepath.Join(dir, "b \"q\"\n.yaml")); err != nil {
		t.Fatal(err)
	}
	second, content := read(t, f, "", "a/x.yaml")
	if content != "2" || second == first {
		t.Errorf("after an edit: %q at %s", content, second)
	}
	if _, old := read(t, f, first, "a/x.yaml"); old != "1" {
		t.Errorf("an old commit keeps its content: %q", old)
	}
	v, err := f.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.Snapshot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b \"q\"\n.yaml", "inner/.git/HEAD"} {
		if _, err := s.Tree.Stat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := v.Snapshot(t.Context(), strings.Repeat("1", 40)); err == nil {
		t.Error("a commit that was never made")
	}
	if restarted, _ := read(t, newFolder(t, dir, cacheDir), "main", "a/x.yaml"); restarted != second {
		t.Errorf("after a restart without changes: commit %s, want %s", restarted, second)
	}
}

// TestStateOfFleetsIsNoContent mirrors the folder that a fleet keeps its state in.
func TestStateOfFleetsIsNoContent(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "1")
	write(t, dir, ".causeway/fleet/etcd/wal", "1")
	f := newFolder(t, dir, filepath.Join(dir, ".causeway", "fleet", "cache"))
	first, _ := read(t, f, "", "a")
	write(t, dir, ".causeway/fleet/etcd/wal", "12")
	if again, _ := read(t, f, "", "a"); again != first {
		t.Errorf("the engine's own state makes commit %s of %s", again, first)
	}
	for _, watched := range f.Watched() {
		if strings.Contains(watched, ".causeway") {
			t.Errorf("%s is watched", watched)
		}
	}
	v, err := f.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.Snapshot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tree.Stat(".causeway"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state is served: %v", err)
	}
}

// TestRestlessFolderTellsWhatChanges commits what was seen before files changed.
func TestRestlessFolderTellsWhatChanges(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "1")
	write(t, dir, "gone", "1")
	f := newFolder(t, dir, t.TempDir())
	files, folders, err := scan(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "log/now", "1")
	if _, err := f.commit(t.Context(), dir, files); !errors.Is(err, errRestless) || !strings.HasSuffix(err.Error(), ": log/now") {
		t.Errorf("got %v", err)
	}
	if v, err := f.settled(t.Context(), dir, files, folders); err != nil || v == nil {
		t.Errorf("a first look at a folder that changed once: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"log/b", "log/c"} {
		write(t, dir, name, "1")
	}
	after, _, err := scan(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := differing(files, after), "gone, log/b, log/c and 1 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFolderThatDisappears(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	write(t, dir, "a", "1")
	f := newFolder(t, dir, t.TempDir())
	read(t, f, "", "a")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	var p *gitops.Problem
	if _, err := f.Look(t.Context()); !errors.As(err, &p) || p.Kind != gitops.NotFound {
		t.Errorf("got %v", err)
	}
	write(t, dir, "a", "2")
	if _, content := read(t, f, "", "a"); content != "2" {
		t.Errorf("got %q", content)
	}
}

func TestFolderWithALargeFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "small", "s")
	file, err := os.Create(filepath.Join(dir, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(200<<20), file.Close()); err != nil {
		t.Fatal(err)
	}
	f := newFolder(t, dir, t.TempDir())
	read(t, f, "", "small")
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"https://github.com/org=/dir", "oci://x/y=./z?worktree", "a=b=c", "=", "git@h:x=~/y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err == nil && (!filepath.IsAbs(m.Path) || m.URL == "") {
			t.Errorf("%q became %+v", text, m)
		}
	})
}

func BenchmarkLookUnchanged(b *testing.B) {
	dir := b.TempDir()
	for i := range 500 {
		write(b, dir, filepath.Join("apps", string(rune('a'+i%26)), string(rune('a'+i/26)), "x.yaml"), "1")
	}
	f := newFolder(b, dir, b.TempDir())
	b.ResetTimer()
	for b.Loop() {
		if _, err := f.Look(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSameContentIsOneCommit edits a folder that one store follows, and has
// others that begin later: they name what is there by the same commit.
func TestSameContentIsOneCommit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/x.yaml", "1")
	follows := newFolder(t, dir, t.TempDir())
	first, _ := read(t, follows, "", "a/x.yaml")
	if late, _ := read(t, newFolder(t, dir, t.TempDir()), "", "a/x.yaml"); late != first {
		t.Errorf("at first: %s and %s", first, late)
	}
	for _, content := range []string{"2", "3"} {
		write(t, dir, "a/x.yaml", content)
		followed, _ := read(t, follows, "", "a/x.yaml")
		late, _ := read(t, newFolder(t, dir, t.TempDir()), "", "a/x.yaml")
		if followed != late || followed == first {
			t.Errorf("after an edit: %s and %s, at first %s", followed, late, first)
		}
	}
	if _, old := read(t, follows, first, "a/x.yaml"); old != "1" {
		t.Errorf("an old commit keeps its content: %q", old)
	}
	v, err := follows.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.Snapshot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "a/x.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Commit == nil || !s.Commit.Date.Equal(info.ModTime().Truncate(time.Second)) {
		t.Errorf("the commit is of %+v, the last edit of %s", s.Commit, info.ModTime())
	}
}
