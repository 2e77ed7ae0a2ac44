package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// TestStoresThatNobodyUsesAreLetGo has a repository that is asked for, then by
// nobody for long, then again. A tree of it can be read all the time.
func TestStoresThatNobodyUsesAreLetGo(t *testing.T) {
	now := time.Now()
	server := newGitServer(t, filepath.Dir(newRepository(t)))
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo"}
	held := snap(t, r, ref)
	for i, want := range []int{1, 0} {
		now = now.Add(keepUnused + time.Minute)
		r.expire()
		if len(r.stores) != want || len(r.repos) != 0 {
			t.Errorf("after %d hours %d stores are open, of %d repositories", i+1, len(r.stores), len(r.repos))
		}
	}
	if len(r.idle) != 0 {
		t.Errorf("what is not open is noted: %v", r.idle)
	}
	if got := content(t, held, "a.yaml"); got != "1" {
		t.Errorf("a tree of it is %q", got)
	}
	if got := content(t, snap(t, r, ref), "a.yaml"); got != "1" || len(r.stores) != 1 {
		t.Errorf("asked for again it is %q, of %d stores", got, len(r.stores))
	}
	now = now.Add(keepUnused / 2)
	snap(t, r, ref)
	now = now.Add(keepUnused/2 + time.Minute)
	r.expire()
	if len(r.stores) != 1 || len(r.idle) != 0 {
		t.Errorf("a store in use is let go: %v, %v", r.stores, r.idle)
	}
}

// TestFoldersThatNobodyUsesAreBounded has more folders than are kept. The oldest
// go, and none of what is in use, however old it looks.
func TestFoldersThatNobodyUsesAreBounded(t *testing.T) {
	now, begun := time.Now(), time.Now().Add(-24*time.Hour)
	server := newGitServer(t, filepath.Dir(newRepository(t)))
	r := newRegistry(t, Options{Clock: func() time.Time { return now }})
	snap(t, r, gitops.SourceRef{RepoURL: server.URL + "/repo"})
	aged := func(dir string, at time.Time) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for dir := range r.stores {
		aged(dir, begun.Add(-outworn))
		aged(dir+git.OriginSuffix, begun.Add(-outworn))
	}
	const more = 3
	folder := func(i int) string { return filepath.Join(r.dir, "helm", fmt.Sprintf("h%04d", i)) }
	for i := range mostUnread + more {
		aged(folder(i), begun.Add(time.Duration(i)*time.Second))
	}
	outOfUse := filepath.Join(r.dir, "oci", "old")
	aged(outOfUse, begun.Add(-outworn))

	r.tidy()
	if _, err := os.Stat(folder(0)); err != nil {
		t.Fatalf("what is in use may not have been asked for yet: %v", err)
	}
	now = now.Add(keepUnused + time.Minute)
	r.tidy()
	for path, want := range map[string]bool{outOfUse: false, folder(0): false, folder(more - 1): false, folder(more): true, folder(mostUnread): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", filepath.Base(path), err == nil, want)
		}
	}
	for dir := range r.stores {
		for _, path := range []string{dir, dir + git.OriginSuffix} {
			if _, err := os.Stat(path); err != nil {
				t.Errorf("what is in use is gone: %v", err)
			}
		}
	}
	left, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if strings.HasPrefix(e.Name(), droppedName) {
			t.Errorf("%s is left of what was removed", e.Name())
		}
	}
}
