package render_test

import (
	"context"
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// nothing has no content at all.
type nothing struct{}

func (nothing) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	p := gitops.Problemf(gitops.NotMirrored, "it is not mirrored")
	p.Err = &gitops.MissingSource{Ref: ref}
	return nil, p
}

// TestMissingSource tells that who asks finds the reference that is not at
// hand, whatever it is needed for.
func TestMissingSource(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  treetest.Files
		want   gitops.SourceRef
	}{
		"Base": {
			"a base of a kustomization",
			treetest.Files{"x/kustomization.yaml": "resources:\n- https://git.example.com/org/base//a?ref=v1\n"},
			gitops.SourceRef{RepoURL: "https://git.example.com/org/base", Revision: "v1", Project: "default"},
		},
		"Deep": {
			"a base of a base",
			treetest.Files{"x/kustomization.yaml": "resources: [../y]\n", "y/kustomization.yaml": "resources:\n- https://git.example.com/org/base//a?ref=v1\n"},
			gitops.SourceRef{RepoURL: "https://git.example.com/org/base", Revision: "v1", Project: "default"},
		},
		"Dependency": {
			"a dependency of a chart",
			treetest.Files{"x/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.2.3, repository: \"https://charts.example.com\"}\n"},
			gitops.SourceRef{RepoURL: "https://charts.example.com", Chart: "db", Revision: "1.2.3", Project: "default"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := render.New(render.Options{Remotes: nothing{}}, helm.New(helm.Options{}), kustomize.New(kustomize.Options{}))
			_, err := r.Application(t.Context(), render.Input{App: application("one", at("x")), Snapshots: []*gitops.Snapshot{treetest.Snapshot(repo, rev1, tc.files)}})
			var missing *gitops.MissingSource
			if !errors.As(err, &missing) || missing.Ref != tc.want {
				t.Errorf("%s: got %v with %#v", tc.reason, err, missing)
			}
		})
	}
}
