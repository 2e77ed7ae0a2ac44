package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestDamagedPacks tells that a later run makes anew what it cannot read.
func TestDamagedPacks(t *testing.T) {
	for _, keep := range []int64{0, 100, 2000} {
		for _, folder := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, folder %v", keep, folder), func(t *testing.T) {
				root := t.TempDir()
				dir := filepath.Join(root, "repo")
				for i := range 150 { // more than git keeps loose
					write(t, dir, strconv.Itoa(i)+".yaml", strings.Repeat(strconv.Itoa(i*7919), 50))
				}
				opts, ref := Options{CacheDir: t.TempDir()}, gitops.SourceRef{RepoURL: "https://h/repo"}
				if folder {
					opts.Mirrors = []Mirror{{URL: "https://h/repo", Path: dir, WorkTree: true}}
				}
				if !folder {
					runGit(t, dir, "init", "--quiet", "--initial-branch=main")
					commit(t, dir)
					ref.RepoURL = "file://" + dir
				}
				run := func() {
					t.Helper()
					r, err := New(opts)
					if err != nil {
						t.Fatal(err)
					}
					if got := content(t, snap(t, r, ref), "3.yaml"); !strings.HasPrefix(got, "23757") {
						t.Errorf("got %q", got)
					}
					if err := r.Close(); err != nil {
						t.Error(err)
					}
				}
				run()
				if spoil(t, opts.CacheDir, keep) == 0 {
					t.Fatal("there is no pack")
				}
				write(t, dir, "next.yaml", "1")
				if !folder && keep == 100 {
					commit(t, dir)
				}
				run()
				run()
				_ = filepath.WalkDir(opts.CacheDir, func(name string, _ os.DirEntry, _ error) error {
					if strings.Contains(name, "fast_import_crash") {
						t.Errorf("%s is left", name)
					}
					return nil
				})
			})
		}
	}
}

// TestHalfMade tells that what a process that was killed had begun to make is
// made whole by the next one, and while it runs.
func TestHalfMade(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "1")
	ref := gitops.SourceRef{RepoURL: "https://h/repo"}
	opts := Options{CacheDir: t.TempDir(), Mirrors: []Mirror{{URL: ref.RepoURL, Path: dir, WorkTree: true}}}
	first, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() }) // its lock is gone by then
	if got := content(t, snap(t, first, ref), "a.yaml"); got != "1" {
		t.Errorf("got %q", got)
	}
	halve(t, opts.CacheDir)
	write(t, dir, "a.yaml", "2")
	first.Refresh(ref.RepoURL)
	if _, err := first.Snapshot(t.Context(), ref); err != nil {
		first.Refresh(ref.RepoURL) // the next look makes it anew
	}
	if got := content(t, snap(t, first, ref), "a.yaml"); got != "2" {
		t.Errorf("the store was not mended while it was used: %q", got)
	}
	if err := first.lock.Close(); err != nil { // as a process that is killed
		t.Fatal(err)
	}
	halve(t, opts.CacheDir)
	write(t, dir, "a.yaml", "3")
	if got := content(t, snap(t, newRegistry(t, opts), ref), "a.yaml"); got != "3" {
		t.Errorf("the store of before was not mended: %q", got)
	}
}

// halve empties the HEADs below a folder.
func halve(t *testing.T, dir string) {
	t.Helper()
	heads, err := filepath.Glob(filepath.Join(dir, "sources-*", "*", "*", "HEAD"))
	more, _ := filepath.Glob(filepath.Join(dir, "sources-*", "*", "HEAD"))
	if heads = append(heads, more...); err != nil || len(heads) == 0 {
		t.Fatalf("no store is there: %v", err)
	}
	for _, name := range heads {
		if err := os.Truncate(name, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// spoil cuts off the packs below a folder, and counts them.
func spoil(t *testing.T, dir string, keep int64) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".pack" {
			return err
		}
		n++
		if err := os.Chmod(name, 0o600); err != nil {
			return err
		}
		return os.Truncate(name, keep)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
