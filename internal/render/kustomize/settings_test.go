package kustomize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const shown = `namePrefix: dev-
images:
  - name: nginx
    newTag: "1.2"
  - name: redis
    digest: sha256:abc
replicas:
  - name: web
    count: 1
components:
  - ../tls
patches:
  - target:
      kind: Deployment
    patch: |
      - op: add
        path: /spec/secret
        value: hunter2
labels:
  - pairs:
      team: shop
`

// What a kustomization says is told with its line, and what the Application
// sets over it with the field of its source. Texts of patches are not told.
func TestSettings(t *testing.T) {
	s := &source.Source{
		Name: "app", Path: "app", Env: environ.Env{},
		Tree: record.Wrap(t.Context(), treetest.Snapshot("r", "1", treetest.Files{"app/kustomization.yaml": shown}), record.Limits{}),
	}
	s.Spec.Kustomize = &v1alpha1.ApplicationSourceKustomize{
		NamePrefix: "prod-", Images: v1alpha1.KustomizeImages{"nginx:1.3"}, CommonLabels: map[string]string{"env": "prod"}, Components: []string{"../mtls"},
	}
	values, err := (&Renderer{}).Settings(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range values {
		parts := []string{strings.Join(v.Path, ".")}
		for _, l := range v.Layers {
			parts = append(parts, fmt.Sprintf("%s %s %v", l.Kind, l.Origin, l.Value))
		}
		got = append(got, strings.Join(parts, " <- "))
	}
	want := []string{
		"commonLabels.env <- source  prod",
		"components.1 <- kustomization app/kustomization.yaml:11 ../tls",
		"components.2 <- source  ../mtls",
		"images.nginx <- kustomization app/kustomization.yaml:3 nginx:1.2 <- source  nginx:1.3",
		"images.redis <- kustomization app/kustomization.yaml:5 redis@sha256:abc",
		"labels.team <- kustomization app/kustomization.yaml:21 shop",
		"namePrefix <- kustomization app/kustomization.yaml:1 dev- <- source  prod-",
		"patches.1 <- kustomization app/kustomization.yaml:13 map[patch:inline target:map[kind:Deployment]]",
		"replicas.web <- kustomization app/kustomization.yaml:8 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
