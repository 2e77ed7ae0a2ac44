package render_test

import (
	"context"
	"slices"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// charts serve one chart, and remember who asked for it.
type charts struct{ asked []gitops.SourceRef }

func (c *charts) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	c.asked = append(c.asked, ref)
	s := treetest.Snapshot(ref.RepoURL, "1.2.3", treetest.Files{
		"Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.2.3\n", "templates/cm.yaml": configMap("db", "1"),
	})
	s.Ref = ref
	return s, nil
}

// TestCredentialsOfDependencies: a dependency is fetched with the credentials of its
// repository for other hosts where the Application says so, in a worker as here, and again
// when it is looked at later; a file of the repository does not say it.
func TestCredentialsOfDependencies(t *testing.T) {
	files := treetest.Files{
		"x/Chart.yaml":     "apiVersion: v2\nname: x\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.2.3, repository: \"https://charts.example.com\"}\n",
		"said/Chart.yaml":  "apiVersion: v2\nname: said\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.2.3, repository: \"https://charts.example.com\"}\n",
		"said/values.yaml": "a: 1\n", "said/.argocd-source.yaml": "helm: {passCredentials: true}\n",
	}
	passing, plain, said := at("x"), at("x"), at("said")
	passing.Helm = &v1alpha1.ApplicationSourceHelm{PassCredentials: true}
	for name, tc := range map[string]struct {
		reason  string
		sources v1alpha1.ApplicationSources
		want    []bool
	}{
		"Passing": {"the source says so", v1alpha1.ApplicationSources{passing}, []bool{true}},
		"Plain":   {"it does not", v1alpha1.ApplicationSources{plain}, []bool{false}},
		"Said":    {"a file of the repository does", v1alpha1.ApplicationSources{said}, []bool{false}},
		"Two":     {"one of two does", v1alpha1.ApplicationSources{passing, plain}, []bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			from, far := &charts{}, &charts{}
			here := render.New(render.Options{Remotes: from}, testTools(nil, nil, nil)...)
			there := apartly(t, render.Options{Remotes: far}, nil, worker.Limits{})
			for r, by := range map[*render.Renderer]*charts{here: from, there: far} {
				in := render.Input{App: application("one", tc.sources...)}
				for range tc.sources {
					in.Snapshots = append(in.Snapshots, treetest.Snapshot(repo, rev1, files))
				}
				for _, reused := range []bool{false, true} {
					by.asked = nil
					got, err := r.Application(t.Context(), in)
					if err != nil || got.Reused != reused {
						t.Fatalf("%s: %v, %v", tc.reason, got, err)
					}
					var passed []bool
					for _, ref := range by.asked {
						passed = append(passed, ref.PassCredentials)
						if ref.Project != "default" || !slices.Contains(got.Remotes, ref) {
							t.Errorf("%s: asked for was %+v, and told of is %+v", tc.reason, ref, got.Remotes)
						}
					}
					if !slices.Equal(passed, tc.want) {
						t.Errorf("%s: credentials are passed on: %v, want %v (in a worker: %t)", tc.reason, passed, tc.want, r == there)
					}
				}
			}
		})
	}
}
