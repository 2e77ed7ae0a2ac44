package source

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestStoresLongOutOfUseAreRemoved(t *testing.T) {
	slot, now := t.TempDir(), time.Now()
	old, used := filepath.Join(slot, "git", "old"), filepath.Join(slot, "folders", "used")
	for dir, at := range map[string]time.Time{old: now.Add(-outworn - time.Hour), used: now.Add(-outworn + time.Hour)} {
		if err := os.MkdirAll(filepath.Join(dir, "objects"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	dropOutworn(slot, now)
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the store that nobody opened is still there: %v", err)
	}
	if _, err := os.Stat(used); err != nil {
		t.Errorf("a store in use is gone: %v", err)
	}
}

// age has all that is stored of charts and artifacts in a cache folder be of
// long ago, and returns the names of the files.
func age(t *testing.T, cacheDir string) (files []string) {
	t.Helper()
	then := time.Now().Add(-outworn - time.Hour)
	for _, kind := range []string{"helm", "oci"} {
		err := filepath.WalkDir(filepath.Join(cacheDir, "sources-0", kind), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !e.IsDir() {
				files = append(files, e.Name())
			}
			return os.Chtimes(path, then, then)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	slices.Sort(files)
	return files
}

func TestChartsLongOutOfUseAreRemoved(t *testing.T) {
	one, two := packed(t, "web", "1.0.0"), packed(t, "web", "1.2.0")
	index := fmt.Sprintf("apiVersion: v1\nentries:\n  web:\n  - {version: 1.0.0, digest: %x, urls: [one.tgz]}\n  - {version: 1.2.0, digest: %x, urls: [two.tgz]}\n", sha256.Sum256(one), sha256.Sum256(two))
	server := newHelmServer(t, map[string][]byte{"one.tgz": one, "two.tgz": two}, index)
	artifacts := newOCIServer(t)
	artifacts.push(t, "charts/web", "1.0.0", "application/vnd.cncf.helm.chart.content.v1.tar+gzip", one)
	artifacts.push(t, "charts/web", "1.2.0", "application/vnd.cncf.helm.chart.content.v1.tar+gzip", two)
	sources := []gitops.SourceRef{{RepoURL: server.URL + "/charts/", Chart: "web"}, {RepoURL: artifacts.host + "/charts", Chart: "web"}}
	dir := t.TempDir()
	// use reads versions in a process of its own, and does something between its
	// start and that.
	use := func(begun func(), revisions ...string) {
		t.Helper()
		r, err := New(Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		begun()
		for _, ref := range sources {
			for _, ref.Revision = range revisions {
				if s := snap(t, r, ref); content(t, s, "values.yaml") != "v: "+ref.Revision {
					t.Errorf("got %s", s.Revision)
				}
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func() {}
	use(nothing, "1.0.0", "1.2.0")
	all := age(t, dir)
	const helmFiles, ociFiles = 4, 2 // two of the index, and the charts
	if len(all) != helmFiles+ociFiles {
		t.Fatalf("there are %q", all)
	}
	use(nothing)
	if left := age(t, dir); len(left) > 0 {
		t.Errorf("what nobody uses is still there: %q", left)
	}
	use(nothing, "1.0.0", "1.2.0")
	if diff := cmp.Diff(all, age(t, dir)); diff != "" {
		t.Errorf("what was removed is not fetched again (-want +got):\n%s", diff)
	}

	use(nothing, "1.0.0", "1.2.0")
	fetched := server.archives.Load()
	use(func() { age(t, dir) }, "1.0.0") // out of the folder, which the server says is up to date
	use(nothing)
	if left := age(t, dir); len(left) != len(all)-len(sources) {
		t.Errorf("of all of %q those in use should be left, and are %q", all, left)
	}
	if n := server.archives.Load(); n != fetched {
		t.Errorf("a chart in use was fetched again")
	}
}

// TestStoreThatIsLookedUpStays has a process that runs for longer than a store
// is kept without use, and ends.
func TestStoreThatIsLookedUpStays(t *testing.T) {
	repo, dir, now := newRepository(t), t.TempDir(), time.Now()
	server := newGitServer(t, filepath.Dir(repo))
	r, err := New(Options{CacheDir: dir, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo"}
	snap(t, r, ref)
	stores, err := filepath.Glob(filepath.Join(dir, "sources-0", "git", "*"))
	if err != nil || len(stores) != 1 {
		t.Fatalf("there are the stores %q: %v", stores, err)
	}
	then := now.Add(-outworn - time.Hour)
	if err := os.Chtimes(stores[0], then, then); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour) // a look-up is due, and finds nothing new
	snap(t, r, ref)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	newRegistry(t, Options{CacheDir: dir})
	if _, err := os.Stat(stores[0]); err != nil {
		t.Errorf("the store is gone: %v", err)
	}
}
