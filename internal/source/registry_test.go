package source

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

func TestMirrorOfAFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "app/a.yaml", "1")
	const url = "https://github.com/org/repo"
	r := newRegistry(t, Options{Mirrors: []Mirror{{URL: url, Path: dir}}})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: url + ".git", Revision: "main"}
	first := snap(t, r, ref)
	if got := content(t, first, "app/a.yaml"); got != "1" {
		t.Errorf("got %q", got)
	}
	if first.Commit == nil || len(first.Revision) != 40 || first.Ref != ref {
		t.Errorf("got %+v", first)
	}
	// The folder is watched once the first poll is through.
	within(t, "the folder is watched", func() bool {
		w := r.watcher.Load()
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.byDir[filepath.Join(dir, "app")]) > 0
	})
	begun := time.Now()
	write(t, dir, "app/a.yaml", "2")
	want := gitops.RepoChange{Repos: []string{address.Folded(url)}, Revisions: []string{"main"}}
	if d := cmp.Diff(want, change(t, r)); d != "" {
		t.Error(d)
	}
	t.Logf("the edit was noticed after %s", time.Since(begun))
	if got := content(t, snap(t, r, ref), "app/a.yaml"); got != "2" {
		t.Errorf("after the change: %q", got)
	}
	if got := content(t, first, "app/a.yaml"); got != "1" {
		t.Errorf("a snapshot does not change: %q", got)
	}
	write(t, dir, "app/new/folder/b.yaml", "3")
	change(t, r)
	within(t, "a file in a new folder shows", func() bool {
		_, err := snap(t, r, ref).Tree.Stat("app/new/folder/b.yaml")
		return err == nil
	})
}

// TestMirrorOfALinkThatIsTurned has a link to a folder, which is how releases are switched and how mounted ConfigMaps
// change: a change of what it leads to is one of the content, and its neighbours' are not.
func TestMirrorOfALinkThatIsTurned(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "old/a.yaml", "1")
	write(t, dir, "new/a.yaml", "2")
	link := filepath.Join(dir, "current")
	if err := os.Symlink("old", link); err != nil {
		t.Fatal(err)
	}
	const url = "https://github.com/org/repo"
	r := newRegistry(t, Options{Mirrors: []Mirror{{URL: url, Path: link}}})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: url, Revision: "main"}
	if got := content(t, snap(t, r, ref), "a.yaml"); got != "1" {
		t.Errorf("got %q", got)
	}
	within(t, "the link is watched", func() bool {
		w := r.watcher.Load()
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.byDir[dir]) > 0
	})
	if got := r.watcher.Load().within(dir); len(got) > 0 {
		t.Error("what lies beside a link is no content")
	}
	turned := filepath.Join(dir, "turned")
	if err := errors.Join(os.Symlink("new", turned), os.Rename(turned, link)); err != nil {
		t.Fatal(err)
	}
	change(t, r)
	if got := content(t, snap(t, r, ref), "a.yaml"); got != "2" {
		t.Errorf("after the change: %q", got)
	}
}

// TestMirrorOfAFolderHasNoRevisions tells, once, that all revisions are one.
func TestMirrorOfAFolderHasNoRevisions(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "1")
	var out bytes.Buffer
	r := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://h/folder", Path: dir}}, Log: slog.New(slog.NewTextHandler(&out, nil))})
	for _, revision := range []string{"", "HEAD"} {
		snap(t, r, gitops.SourceRef{RepoURL: "https://h/folder", Revision: revision})
	}
	if out.Len() > 0 {
		t.Errorf("nothing was asked for by a name: %s", out.String())
	}
	for _, revision := range []string{"v1.0.0", "main", "v2.x"} {
		if got := content(t, snap(t, r, gitops.SourceRef{RepoURL: "https://h/folder", Revision: revision}), "a.yaml"); got != "1" {
			t.Errorf("%s: got %q", revision, got)
		}
	}
	if n := strings.Count(out.String(), "no Git repository"); n != 1 {
		t.Errorf("told %d times: %s", n, out.String())
	}
}

func TestMirrorOfARepository(t *testing.T) {
	dir := newRepository(t)
	runGit(t, dir, "branch", "other")
	r := newRegistry(t, Options{Mirrors: []Mirror{
		{URL: "https://github.com/org", Path: filepath.Dir(dir)},
		{URL: "https://github.com/org/edited", Path: dir, WorkTree: true},
	}})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: "git@github.com:org/repo.git"}
	first := snap(t, r, ref)
	other := snap(t, r, gitops.SourceRef{RepoURL: "https://github.com/org/repo", Revision: "other"})
	if first.Revision != other.Revision || first.Revision != runGit(t, dir, "rev-parse", "HEAD") {
		t.Errorf("got %s and %s", first.Revision, other.Revision)
	}
	write(t, dir, "a.yaml", "uncommitted")
	if got := content(t, snap(t, r, ref), "a.yaml"); got != "1" {
		t.Errorf("only commits count: %q", got)
	}
	if got := content(t, snap(t, r, gitops.SourceRef{RepoURL: "https://github.com/org/edited"}), "a.yaml"); got != "uncommitted" {
		t.Errorf("with ?worktree edits count: %q", got)
	}
	second := commit(t, dir)
	for {
		c := change(t, r)
		if c.Repos[0] != address.Folded(ref.RepoURL) {
			continue // the work tree's hidden store
		}
		if d := cmp.Diff(gitops.RepoChange{Repos: []string{address.Folded(ref.RepoURL)}, Revisions: []string{""}}, c); d != "" {
			t.Errorf("only what moved is named: %s", d)
		}
		break
	}
	if got := snap(t, r, ref).Revision; got != second {
		t.Errorf("got %s, want %s", got, second)
	}
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: "https://github.com/org/none"})
	if p := problem(t, err); p.Kind != gitops.NotFound || !strings.Contains(err.Error(), "mirror") {
		t.Errorf("got %v", err)
	}
}

func TestMirrorInsideARepositoryIsAFolder(t *testing.T) {
	dir := newRepository(t)
	write(t, dir, "examples/fleet/x.yaml", "1")
	r := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://h/fleet", Path: filepath.Join(dir, "examples/fleet")}}})
	if got := content(t, snap(t, r, gitops.SourceRef{RepoURL: "https://h/fleet", Revision: "v1.x"}), "x.yaml"); got != "1" {
		t.Errorf("got %q", got)
	}
	write(t, dir, "examples/fleet/x.yaml", "2")
	within(t, "edits show without Run", func() bool {
		return content(t, snap(t, r, gitops.SourceRef{RepoURL: "https://h/fleet"}), "x.yaml") == "2"
	})
}

func TestOneLookUpForAllApplications(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	r := newRegistry(t, Options{})
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			ref := gitops.SourceRef{RepoURL: server.URL + "/repo", Revision: []string{"main", "HEAD", ""}[i%3], Project: strconv.Itoa(i % 7)}
			if _, err := r.Snapshot(t.Context(), ref); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	// One for the look-up and one for the fetch of the commit.
	if n := server.looks.Load(); n != 2 {
		t.Errorf("%d requests for references, want 2", n)
	}
}

func TestDeadRepositoryIsAskedOnce(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	server.refuse.Store(true)
	now := time.Now()
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo"}
	var first error
	for range 50 {
		_, err := r.Snapshot(t.Context(), ref)
		if p := problem(t, err); p.Kind != gitops.Unreachable || p.Where.RepoURL != ref.RepoURL {
			t.Fatalf("got %v", err)
		}
		first = err
	}
	t.Log(first)
	server.refuse.Store(false)
	if _, err := r.Snapshot(t.Context(), ref); err == nil {
		t.Error("the failure is remembered")
	}
	now = now.Add(firstRetry)
	snap(t, r, ref)
	now = now.Add(3 * time.Minute)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err := r.Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.Unreachable {
		t.Errorf("a repository that disappears is unreachable: %v", err)
	}
}

func TestRefreshFindsAPush(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	r := newRegistry(t, Options{Interval: time.Hour})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo/", Revision: "main"}
	snap(t, r, ref)
	runGit(t, dir, "branch", "other")
	snap(t, r, gitops.SourceRef{RepoURL: server.URL + "/repo", Revision: "HEAD"})
	second := commit(t, dir)
	r.Refresh(server.URL + "/repo.git")
	name := address.Folded(ref.RepoURL)
	var moved []string
	for range 2 {
		c := change(t, r)
		moved = append(moved, c.Repos[0]+" "+c.Revisions[0])
	}
	if got := snap(t, r, ref).Revision; got != second {
		t.Errorf("got %s, want %s", got, second)
	}
	for _, want := range []string{name + " main", name + " HEAD"} {
		if !strings.Contains(strings.Join(moved, "\n"), want) {
			t.Errorf("%q does not name %q", moved, want)
		}
	}
}

// byProject has a credential of each project, whose user has the project's name.
type byProject struct{}

func (byProject) For(_, project string) (Credential, bool) {
	return Credential{Username: project, Password: access.Secret("of " + project), ForceBasic: true}, true
}

func TestRenewAsksWithTheOwnCredential(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	var asked sync.Map
	note := func(req *http.Request) bool {
		user, _, ok := req.BasicAuth()
		asked.Store(user, true)
		return ok
	}
	server.allow.Store(&note)
	r := newRegistry(t, Options{Interval: time.Hour, Credentials: byProject{}})
	red := gitops.SourceRef{RepoURL: server.URL + "/repo", Revision: "main", Project: "red"}
	blue := red
	blue.Project = "blue"
	snap(t, r, blue)
	snap(t, r, red)
	second := commit(t, dir)
	asked.Clear()
	r.Renew(red)
	if got := snap(t, r, red).Revision; got != second {
		t.Errorf("what was renewed is at %s, want %s", got, second)
	}
	if got := snap(t, r, blue).Revision; got == second {
		t.Error("what another project knows of the repository was forgotten, too")
	}
	if _, is := asked.Load("blue"); is {
		t.Error("the repository was asked with the credential of a project that did not ask")
	}
}

func TestMissingRevisionThatAppears(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	r := newRegistry(t, Options{Interval: time.Hour})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo", Revision: "relaese"}
	_, err := r.Snapshot(t.Context(), ref)
	if p := problem(t, err); p.Kind != gitops.NotFound || !strings.Contains(err.Error(), "main") {
		t.Fatalf("got %v", err)
	}
	runGit(t, dir, "branch", ref.Revision)
	r.Refresh(ref.RepoURL)
	if d := cmp.Diff(gitops.RepoChange{Repos: []string{address.Folded(ref.RepoURL)}, Revisions: []string{ref.Revision}}, change(t, r)); d != "" {
		t.Error(d)
	}
	snap(t, r, ref)
}

func TestPollFindsAPush(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	r := newRegistry(t, Options{Interval: 50 * time.Millisecond})
	start(t, r)
	snap(t, r, gitops.SourceRef{RepoURL: server.URL + "/repo"})
	want := commit(t, dir)
	change(t, r)
	if got := snap(t, r, gitops.SourceRef{RepoURL: server.URL + "/repo"}).Revision; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	r := newRegistry(t, Options{})
	for name, c := range map[string]struct {
		reason string
		ref    gitops.SourceRef
	}{
		"option":   {"git would take it for an option", gitops.SourceRef{RepoURL: "--upload-pack=id"}},
		"helper":   {"it would run a command", gitops.SourceRef{RepoURL: "ext::sh -c id"}},
		"revision": {"an option as revision", gitops.SourceRef{RepoURL: newRepository(t), Revision: "--all"}},
		"chart":    {"charts do not come over ssh", gitops.SourceRef{RepoURL: "git@h:x", Chart: "y"}},
		"scheme":   {"Git or a registry?", gitops.SourceRef{RepoURL: "github.com/org/repo"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Snapshot(t.Context(), c.ref)
			if p := problem(t, err); p.Kind != gitops.Invalid || p.Fix == "" {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

func TestUnwritableCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, filepath.Dir(file), "file", "")
	if _, err := New(Options{CacheDir: filepath.Join(file, "cache")}); err == nil || !strings.Contains(err.Error(), "--cache-dir") {
		t.Errorf("got %v", err)
	}
}

func TestCacheThatCannotBeWrittenLater(t *testing.T) {
	dir := newRepository(t)
	r := newRegistry(t, Options{})
	// A file where the store's folder would be fails for root as well.
	write(t, r.dir, "git", "in the way")
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: dir})
	if p := problem(t, err); p.Kind != gitops.Unreachable || !strings.Contains(p.Fix, "--cache-dir") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(filepath.Join(r.dir, "git")); err != nil {
		t.Fatal(err)
	}
	within(t, "it recovers", func() bool {
		_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: dir})
		return err == nil
	})
}

func TestTwoRegistriesShareACacheFolder(t *testing.T) {
	dir, repo := t.TempDir(), newRepository(t)
	for range 2 {
		snap(t, newRegistry(t, Options{CacheDir: dir}), gitops.SourceRef{RepoURL: repo})
	}
}

func BenchmarkSnapshotFromMemory(b *testing.B) {
	r := newRegistry(b, Options{Interval: time.Hour, LocalInterval: time.Hour})
	ref := gitops.SourceRef{RepoURL: newRepository(b), Revision: "main"}
	snap(b, r, ref)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if _, err := r.Snapshot(b.Context(), ref); err != nil {
			b.Fatal(err)
		}
	}
}

func TestDamagedStoresRecover(t *testing.T) {
	dir, folder := newRepository(t), t.TempDir()
	write(t, folder, "a.yaml", "other")
	r := newRegistry(t, Options{Interval: time.Hour, LocalInterval: time.Hour, Mirrors: []Mirror{{URL: "https://h/folder", Path: folder}}})
	for url, want := range map[string]string{dir: "1", "https://h/folder": "other"} {
		ref := gitops.SourceRef{RepoURL: url}
		tree := snap(t, r, ref).Tree
		for store := range r.stores {
			if err := os.RemoveAll(filepath.Join(store, "objects")); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range r.stores {
			s.Rest(time.Now().Add(time.Hour))
		}
		_, err := tree.ReadFile("a.yaml")
		if p := problem(t, err); p.Kind != gitops.Unreachable {
			t.Errorf("%s: got %v", url, err)
		}
		if got := content(t, snap(t, r, ref), "a.yaml"); got != want {
			t.Errorf("%s: afterwards: %q", url, got)
		}
	}
}
