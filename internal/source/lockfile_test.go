package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/lockfile"
)

// TestLocked mirrors a Git repository and a chart of a local folder, and
// reads them where nothing can be fetched.
func TestLocked(t *testing.T) {
	origin := newRepository(t)
	write(t, origin, "bin/run.sh", "#!/bin/sh\n")
	runGit(t, origin, "add", "-A")
	runGit(t, origin, "update-index", "--chmod=+x", "bin/run.sh")
	if err := os.Symlink("a.yaml", filepath.Join(origin, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	head := commit(t, origin)
	server := newGitServer(t, filepath.Dir(origin))
	charts := t.TempDir()
	write(t, charts, "web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.2.3\n")
	write(t, charts, "web/templates/a.yaml", "kind: A\n")

	online := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://charts.h", Path: charts}}})
	refs := []gitops.SourceRef{
		{RepoURL: server.URL + "/repo", Revision: "main"},
		{RepoURL: "https://charts.h", Chart: "web", Revision: "1.x"},
	}
	dir := filepath.Join(t.TempDir(), "vendor")
	m, err := lockfile.Open(dir, lockfile.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	want := map[gitops.SourceRef]*gitops.Snapshot{}
	for _, ref := range refs {
		want[ref] = snap(t, online, ref)
		if _, err := m.Add(t.Context(), want[ref]); err != nil {
			t.Fatal(err)
		}
	}
	write(t, origin, "a.yaml", "newer")
	commit(t, origin)
	looks := server.looks.Load()

	offline := newRegistry(t, Options{Locked: []string{dir}, Offline: true})
	for _, ref := range refs {
		got := snap(t, offline, ref)
		if got.Revision != want[ref].Revision || got.Ref != ref {
			t.Errorf("%v: got %s", ref, got.Revision)
		}
		if d := cmp.Diff(want[ref].Commit, got.Commit); d != "" {
			t.Error(d)
		}
	}
	repo := snap(t, offline, refs[0])
	if repo.Revision != head || content(t, repo, "a.yaml") != "1" || content(t, repo, "link.yaml") != "1" {
		t.Errorf("got %s with %q", repo.Revision, content(t, repo, "a.yaml"))
	}
	before, _ := want[refs[0]].Tree.Digest(".")
	if now, err := repo.Tree.Digest("."); now != before || err != nil {
		t.Errorf("a Git tree keeps its digest: %s, %s, %v", now, before, err)
	}
	if got := content(t, snap(t, offline, gitops.SourceRef{RepoURL: server.URL + "/repo.git", Revision: head[:10]}), "a.yaml"); got != "1" {
		t.Errorf("by its commit: got %q", got)
	}
	if got := content(t, snap(t, offline, refs[1]), "templates/a.yaml"); got != "kind: A\n" {
		t.Errorf("got %q", got)
	}
	_, err = offline.Snapshot(t.Context(), gitops.SourceRef{RepoURL: server.URL + "/repo", Revision: "other"})
	if p := problem(t, err); p.Kind != gitops.NotMirrored {
		t.Errorf("got %v", err)
	}
	if n := server.looks.Load(); n != looks {
		t.Errorf("the server was asked %d times", n-looks)
	}
	if got := content(t, snap(t, newRegistry(t, Options{Locked: []string{dir}}), refs[0]), "a.yaml"); got != "1" {
		t.Errorf("what is locked comes before the network: %q", got)
	}
	if err := m.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLockedFolderWithoutALock(t *testing.T) {
	_, err := New(Options{CacheDir: t.TempDir(), Locked: []string{t.TempDir()}})
	if err == nil || !strings.Contains(err.Error(), "causeway mirror") {
		t.Errorf("got %v", err)
	}
}
