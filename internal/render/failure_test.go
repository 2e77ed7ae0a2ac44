package render_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
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

// little has less memory than a source takes.
type little struct{}

func (little) Type() gitops.SourceType { return gitops.SourceDirectory }

func (little) Render(context.Context, *source.Source) ([]gitops.Manifest, error) {
	return nil, gitops.Problemf(gitops.Invalid, "cannot evaluate it: %w", worker.ErrMemory)
}

// TestMemoryIsOfTheProcess: what took too much is not tried again, but by the
// next process, which may have more.
func TestMemoryIsOfTheProcess(t *testing.T) {
	in := render.Input{App: application("one", at("plain")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, monorepo())}}
	store := &broken{}
	r := render.New(render.Options{Store: store}, little{})
	for range 2 {
		if _, err := r.Application(t.Context(), in); !errors.Is(err, worker.ErrMemory) {
			t.Fatal(err)
		}
	}
	if got := r.Stats(); got.Rendered != 1 || store.saved != 0 {
		t.Errorf("it was rendered %d times, and saved %d times", got.Rendered, store.saved)
	}
}

// TestErrorsAreBrief has files say much in errors, which are kept, logged and written into the status.
func TestErrorsAreBrief(t *testing.T) {
	long := strings.Repeat("k", 3<<20)
	for name, file := range map[string]struct{ name, text string }{
		"Jsonnet":   {"plain/x.jsonnet", "local d(s, n) = if n == 0 then s else d(s + s, n - 1) tailstrict; error d('xxxxxxxx', 20)"},
		"Anchor":    {"plain/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: *" + long},
		"Kustomize": {"overlay/kustomization.yaml", "resources: [" + long[:1<<20] + "]"},
		"Chart":     {"web/Chart.yaml", "apiVersion: v2\nname: web\nversion: " + long},
	} {
		t.Run(name, func(t *testing.T) {
			source := at(strings.Split(file.name, "/")[0])
			if name == "Chart" {
				source = helmAt("web")
			}
			files := monorepo().With(file.name, file.text)
			_, err := renderers().Application(t.Context(), render.Input{App: application("one", source), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}})
			if err == nil {
				t.Fatal("it is rendered")
			}
			if n := toldBy(err); n > 64<<10 || len(err.Error()) > 17<<10 {
				t.Errorf("an error of %d bytes, with causes %d: %.60s", len(err.Error()), n, err)
			}
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Where.File == "" || p.Fix == "" || !strings.HasPrefix(err.Error(), "cannot ") || !strings.Contains(err.Error(), "…") {
				t.Errorf("it is not told what to do: %.60s", err)
			}
		})
	}
}

// toldBy is how much text an error and its causes have.
func toldBy(err error) (n int) {
	if err == nil {
		return 0
	}
	n = len(err.Error()) + toldBy(errors.Unwrap(err))
	if several, is := err.(interface{ Unwrap() []error }); is {
		for _, cause := range several.Unwrap() {
			n += toldBy(cause)
		}
	}
	return n
}
