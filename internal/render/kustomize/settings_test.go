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

// TestWhatSettingsHide: whoever may look at an application is told what a kustomization
// is about, and neither texts of patches nor logins.
func TestWhatSettingsHide(t *testing.T) {
	hidden := kustomization{
		"helmCharts": []any{map[string]any{"name": "c", "repo": "https://me:hunter2@charts.example.com", "version": "1.0.0", "valuesInline": map[string]any{"a": "hunter2"}}},
		"components": []any{"https://me:hunter2@git.example.com/o/r//a", "../tls", 7},
		"patchesStrategicMerge": []any{
			"a.yaml", "kind: Secret\nstringData: {a: hunter2}\n", `{"kind": "Secret", "stringData": {"a": "hunter2"}}`,
		},
		"patches":            []any{map[string]any{"patch": `[{"op": "add", "value": "hunter2"}]`, "target": map[string]any{"kind": "Secret"}, "path": nil}},
		"transformers":       []any{`{kind: T, value: hunter2}`},
		"configMapGenerator": []any{map[string]any{"name": "m", "literals": []any{"a=hunter2"}, "files": []any{"x"}, "envs": "odd"}},
		"secretGenerator":    []any{map[string]any{"name": "s", "literals": []any{"a=hunter2"}}},
	}
	got := map[string]string{}
	for _, s := range hidden.settings() {
		got[strings.Join(s.path, ".")] = fmt.Sprint(s.value)
	}
	want := map[string]string{
		"helmCharts.c": "map[repo:https://charts.example.com version:1.0.0]",
		"components.1": "https://git.example.com/o/r//a", "components.2": "../tls", "components.3": "7",
		"patchesStrategicMerge.1": "a.yaml", "patchesStrategicMerge.2": "inline", "patchesStrategicMerge.3": "inline",
		"patches.1": "map[patch:inline target:map[kind:Secret]]", "transformers.1": "inline", "configMapGenerator.m": "2 entries",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestPlacesOfSettings: a line is told where it is known, and the nearest one otherwise.
func TestPlacesOfSettings(t *testing.T) {
	const text = "namespace: n\nimages: here\nlabels:\n- pairs:\n    a: b\n- includeSelectors: true\ncommonLabels: &all\n  c: d\nnamespace: again\n"
	l := linesOf([]byte(text))
	for name, tc := range map[string]struct {
		reason string
		of     setting
		want   int
	}{
		"Field":   {"of a field that stands twice the first one", setting{[]string{"namespace"}, "n", -1}, 1},
		"NoList":  {"a list that is none", setting{[]string{"images", "x"}, "", 0}, 2},
		"Pair":    {"a label of an entry", setting{[]string{"labels", "a"}, "b", 0}, 5},
		"NoPairs": {"an entry without that label", setting{[]string{"labels", "a"}, "b", 1}, 6},
		"Behind":  {"an entry that is not there", setting{[]string{"labels", "a"}, "b", 2}, 3},
		"Key":     {"a key of a mapping", setting{[]string{"commonLabels", "c"}, "d", -1}, 8},
		"NoKey":   {"a key that is not there", setting{[]string{"commonLabels", "x"}, "d", -1}, 7},
		"Nothing": {"a field that is not there", setting{[]string{"replicas", "x"}, "", 0}, 0},
	} {
		if got := l.of(tc.of); got != tc.want {
			t.Errorf("%s: %s: line %d, want %d", name, tc.reason, got, tc.want)
		}
	}
	for _, broken := range []string{"", "a: [", "- a\n", "a: &a {b: *a}\n"} {
		if got := linesOf([]byte(broken)).of(setting{[]string{"namespace"}, "", -1}); got != 0 {
			t.Errorf("%q has line %d", broken, got)
		}
	}
}
