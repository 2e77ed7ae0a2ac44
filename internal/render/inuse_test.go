package render_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestManifestsInUse: who uses large manifests holds up who is to get some of their
// own, whether these are rendered or kept, until the use ends.
func TestManifestsInUse(t *testing.T) {
	files := treetest.Files{"plain/a.yaml": "kind: A\nmetadata: {name: a}\nx: " + strings.Repeat("x", 500_000) + "\n", "small/a.yaml": configMap("a", "1")}
	input := func(name, path string) render.Input {
		return render.Input{App: application(name, at(path)), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}}
	}
	synctest.Test(t, func(t *testing.T) {
		r := process(render.Options{Limits: render.Limits{InUse: 8 << 20, Time: time.Minute}})
		first, end := render.InUse(t.Context(), "red", "a")
		if _, err := r.Application(first, input("first", "plain")); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Application(t.Context(), input("looked-at", "plain")); err != nil {
			t.Errorf("what nobody counts: %v", err)
		}
		for _, name := range []string{"second", "looked-at"} {
			ctx, unused := render.InUse(t.Context(), "blue", "b")
			if _, err := r.Application(ctx, input(name, "plain")); err == nil || !strings.Contains(err.Error(), "cannot use the manifests") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := r.Application(ctx, input("small", "small")); err != nil {
				t.Errorf("small ones beside %s: %v", name, err)
			}
			unused()
		}
		ctx, unused := render.InUse(t.Context(), "blue", "b")
		defer unused()
		done := make(chan error)
		go func() {
			_, err := r.Application(ctx, input("second", "plain"))
			done <- err
		}()
		synctest.Wait()
		end()
		if err := <-done; err != nil {
			t.Errorf("once the first is used no more: %v", err)
		}
	})
}
