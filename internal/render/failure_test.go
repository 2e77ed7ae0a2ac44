package render_test

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestReuseHalfFailed tells that a failure of a later source is kept without
// what the sources before it gave, and moves on with the repository.
func TestReuseHalfFailed(t *testing.T) {
	r := renderers()
	app := application("two", at("plain"), at("nowhere"))
	for _, s := range []*gitops.Snapshot{
		treetest.Snapshot(repo, rev1, monorepo()),
		treetest.Snapshot(repo, rev2, monorepo().With("elsewhere/readme.md", "y")),
	} {
		_, err := r.Application(t.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{s, s}})
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Where.Revision != s.Revision {
			t.Errorf("at %s: %v", s.Revision, err)
		}
	}
}
