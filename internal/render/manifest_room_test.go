package render_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/disk"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/room"
)

// TestManifestsHaveRoom: objects are neither made of what is kept nor held on to after a
// render where there is no room for them, and whoever comes again has them.
func TestManifestsHaveRoom(t *testing.T) {
	const kib = 1 << 10
	files := treetest.Files{"large/a.yaml": configMap("a", strings.Repeat("x", 40*kib)), "broken/a.yaml": "apiVersion: v1\nkind: X\nmetadata: {\n"}
	input := func(path string) render.Input {
		in := render.Input{App: application("one", at(path)), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, files)}}
		in.App.Spec.Project = "red"
		return in
	}
	for name, tc := range map[string]struct {
		reason string
		uncached,
		before, after bool // it was rendered by the same process, or by one before
		rendered uint64
	}{
		"Rendered": {reason: "what was rendered is packed", rendered: 1},
		"Uncached": {reason: "and rendered again where it is not kept", uncached: true, rendered: 2},
		"Kept":     {reason: "what is kept is not unpacked", before: true, rendered: 1},
		"Stored":   {reason: "nor what another process has kept", after: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := render.Options{Store: disk.Open(t.TempDir(), 0, nil)}
			if tc.uncached {
				o = render.Options{CacheBytes: -1}
			}
			r, in := process(o), input("large")
			want := outcome(t, process(render.Options{}), in)
			if tc.before {
				outcome(t, r, in)
			}
			if tc.after {
				outcome(t, process(o), in)
			}
			memory := room.New(400 * kib)
			others, other := memory.Enter(t.Context(), "red", "other")
			if err := room.Take(others, 150*kib); err != nil {
				t.Fatal(err)
			}
			look := func() (*gitops.Rendering, *room.Guest, error) {
				ctx, g := memory.Enter(t.Context(), "red", "one")
				got, err := r.Application(ctx, in)
				return got, g, err
			}
			if got, g, err := look(); !errors.Is(err, room.ErrNoRoom) || got != nil {
				t.Errorf("%s: %v, %v", tc.reason, got, err)
			} else {
				g.End()
			}
			if used, refused := memory.Used(); used != 150*kib || refused != 1 {
				t.Errorf("%d bytes are in use, and %d found no room", used, refused)
			}
			other.End()
			got, g, err := look()
			if err != nil || got.Digest != want || len(got.Manifests) != 1 {
				t.Errorf("when it comes again it has %+v, %v", got, err)
			}
			if used, _ := memory.Used(); used < 120*kib || used > 200*kib {
				t.Errorf("it has %d KiB in use", used>>10)
			}
			if n := r.Stats().Rendered; n != tc.rendered {
				t.Errorf("%s: it was rendered %d times, want %d", tc.reason, n, tc.rendered)
			}
			g.End()
			if used, refused := memory.Used(); used != 0 || refused != 0 {
				t.Errorf("%d bytes are left, and %d wait", used, refused)
			}
			ctx, g := memory.Enter(t.Context(), "red", "broken")
			defer g.End()
			if _, err := r.Application(ctx, input("broken")); err == nil || errors.Is(err, room.ErrNoRoom) {
				t.Errorf("what cannot be rendered tells %v", err)
			}
		})
	}
}
