package render_test

import (
	"context"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// telling is a renderer that tells settings.
type telling struct{}

func (telling) Type() gitops.SourceType { return gitops.SourceDirectory }

func (telling) Render(context.Context, *source.Source) ([]gitops.Manifest, error) { return nil, nil }

func (telling) Settings(context.Context, *source.Source) ([]gitops.Value, error) {
	return []gitops.Value{{Path: []string{"a"}}}, nil
}

// counting notes what its sources count in.
type counting struct {
	telling

	in []*source.Explained
}

func (c *counting) Settings(_ context.Context, s *source.Source) ([]gitops.Value, error) {
	c.in = append(c.in, s.Explained)
	return nil, nil
}

// TestExplainCountsAllSources: what is told of the sources of an application is
// bounded together, and of each question by itself.
func TestExplainCountsAllSources(t *testing.T) {
	snap := treetest.Snapshot(repo, rev1, monorepo())
	in, c := render.Input{App: application("web", at("plain"), at("elsewhere")), Snapshots: []*gitops.Snapshot{snap, snap}}, &counting{}
	r := render.New(render.Options{Limits: render.Limits{Parallel: 1}}, c)
	for range 2 {
		if _, err := r.Parameters(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.in) != 4 || c.in[0] == nil || c.in[0] != c.in[1] || c.in[2] != c.in[3] || c.in[0] == c.in[2] {
		t.Errorf("the sources count in %p", c.in)
	}
}

// TestExplainHasASlot: where values come from is told in one of the slots of renders,
// which is free again after that.
func TestExplainHasASlot(t *testing.T) {
	in := render.Input{App: application("web", at("plain")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, monorepo())}}
	r := render.New(render.Options{Limits: render.Limits{Parallel: 1}}, telling{})
	for range 2 {
		if got, err := r.Parameters(t.Context(), in); err != nil || len(got) != 1 {
			t.Errorf("it is told %+v, %v", got, err)
		}
	}
	busy := render.New(render.Options{Limits: render.Limits{Parallel: 1, Time: 1}}, telling{})
	if err := busy.Occupy(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	if _, err := busy.Parameters(t.Context(), in); err == nil || !strings.Contains(err.Error(), "no slot for rendering became free") {
		t.Errorf("beside one that has the only slot: %v", err)
	}
}
