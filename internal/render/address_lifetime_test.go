package render_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/disk"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// page serves one text at all addresses, another one each time.
type page struct {
	form  string
	asked int
}

func (p *page) File(context.Context, string, source.Rule) ([]byte, error) {
	p.asked++
	return fmt.Appendf(nil, p.form, p.asked), nil
}

// TestAddressesPerish tells that what was rendered from an address is kept for
// a while, in memory alone, and read again then.
func TestAddressesPerish(t *testing.T) {
	const address = "https://files.example.com/x.yaml"
	cases := map[string]struct{ reason, path, form string }{
		"Helm":      {"a value file", "web", "a: %d\n"},
		"Kustomize": {"a resource", "far", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\ndata: {a: \"%d\"}\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			web, now := &page{form: tc.form}, time.Unix(1e9, 0)
			store := disk.Open(t.TempDir(), 0, nil)
			process := func() *render.Renderer {
				return render.New(render.Options{Now: func() time.Time { return now }, Store: store},
					directory.Renderer{}, helm.New(helm.Options{Files: web}), kustomize.New(kustomize.Options{Web: web}))
			}
			spec := at(tc.path)
			if tc.path == "web" {
				spec = helmAt("web", address)
			}
			app := application("one", spec)
			s := treetest.Snapshot(repo, rev1, monorepo().With("far/kustomization.yaml", "resources: ["+address+"]\n"))
			in := render.Input{App: app, Snapshots: []*gitops.Snapshot{s}}
			r := process()
			steps := []struct {
				reason string
				wait   time.Duration
				want   string
			}{
				{"the first look", 0, "1"},
				{"soon after", 2 * time.Minute, "1"},
				{"when it may have changed", time.Minute, "2"},
				{"soon after that", 2 * time.Minute, "2"},
			}
			for _, step := range steps {
				now = now.Add(step.wait)
				got := look(t, r, app, s, gitops.Facts{})
				if value := got.Manifests[0].Object.Object["data"].(map[string]any)["a"]; value != step.want {
					t.Errorf("%s: %s has %v, want %s", tc.reason, step.reason, value, step.want)
				}
			}
			if !r.Known(t.Context(), in) || process().Known(t.Context(), in) {
				t.Error("it has to be known to this process, and to no other")
			}
			now = now.Add(time.Hour)
			if _, ok := r.Digest(t.Context(), in); ok || r.Known(t.Context(), in) {
				t.Error("it is still known")
			}
		})
	}
}
