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
