package render_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestCorpus renders every kustomization and every folder of manifests of
// real repositories: each gives objects or a Problem with a place.
func TestCorpus(t *testing.T) {
	const corpus = "../../../shared/corpus"
	repos, err := os.ReadDir(corpus)
	if err != nil {
		t.Skip("the repositories in ../shared/corpus are not here")
	}
	r := renderers()
	good, all := 0, 0
	for _, repo := range repos {
		if !repo.IsDir() {
			continue
		}
		s, err := treetest.Folder("https://git.example.com/"+repo.Name(), rev1, path.Join(corpus, repo.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range folders(t, s) {
			all++
			if smoke(t, r, s, repo.Name(), dir) {
				good++
			}
		}
	}
	fmt.Printf("corpus: %d of %d folders render\n", good, all)
}

// folders lists those that hold a kustomization or a manifest.
func folders(t *testing.T, s *gitops.Snapshot) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(s.Tree, ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err == nil && !d.IsDir() && (ext == ".yaml" || ext == ".yml") {
			out = append(out, path.Dir(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Compact(out)
}

func smoke(t *testing.T, r *render.Renderer, s *gitops.Snapshot, name, dir string) bool {
	t.Helper()
	src := v1alpha1.ApplicationSource{RepoURL: s.Ref.RepoURL, Path: dir}
	got, err := r.Application(t.Context(), render.Input{App: application("app", src), Snapshots: []*gitops.Snapshot{s}})
	var p *gitops.Problem
	if err != nil && (!errors.As(err, &p) || p.Where.File == "") {
		t.Errorf("%s %s: no Problem with a place: %v", name, dir, err)
	}
	if err != nil {
		t.Logf("%s %s: %v", name, dir, err)
		return false
	}
	for _, m := range got.Manifests {
		if m.Origin.File == "" {
			t.Logf("%s %s: %s has no file", name, dir, m.Key())
		}
	}
	return true
}

// TestConcurrent renders many applications at once, some of them the same.
func TestConcurrent(t *testing.T) {
	r := renderers()
	s := treetest.Snapshot(repo, rev1, monorepo())
	paths := []string{"plain", "web", "overlay", "base", "monitored"}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			app := application(fmt.Sprintf("app-%d", i%20), at(paths[i%len(paths)]))
			if _, err := r.Application(t.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{s}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := r.Stats(); got.Rendered+got.Reused != 40 || got.Rendered < 20 {
		t.Errorf("stats %+v", got)
	}
}
