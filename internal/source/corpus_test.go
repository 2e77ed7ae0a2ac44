package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestCorpus serves real repositories from plain folders and compares every
// file of the snapshot with the folder.
func TestCorpus(t *testing.T) {
	const corpus = "../../../shared/corpus"
	repos, err := os.ReadDir(corpus)
	if err != nil {
		t.Skipf("the collection of real repositories is not there: %v", err)
	}
	dir, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	r := newRegistry(t, Options{Mirrors: []Mirror{{URL: "https://git.example.org", Path: dir}}})
	for _, repo := range repos {
		if !repo.IsDir() {
			continue
		}
		begun := time.Now()
		s := snap(t, r, gitops.SourceRef{RepoURL: "https://git.example.org/" + repo.Name() + ".git", Revision: "main"})
		took, files := time.Since(begun), 0
		err := fs.WalkDir(s.Tree, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			files++
			want, err := os.ReadFile(filepath.Join(dir, repo.Name(), name))
			if err == nil && content(t, s, name) != string(want) {
				t.Errorf("%s/%s differs", repo.Name(), name)
			}
			return err
		})
		if err != nil || files == 0 {
			t.Errorf("%s: %d files, %v", repo.Name(), files, err)
		}
		t.Logf("%s: %d files; served after %s, read in %s", repo.Name(), files, took.Round(time.Millisecond), (time.Since(begun) - took).Round(time.Millisecond))
	}
}
