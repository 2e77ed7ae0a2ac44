package kustomize

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// connections counts what the library would open by itself.
type connections struct{ n atomic.Int64 }

func (c *connections) RoundTrip(*http.Request) (*http.Response, error) {
	c.n.Add(1)
	return nil, errors.New("connections are not allowed")
}

// noNetwork lets the library neither connect nor run git, and tells if it tries to connect.
func noNetwork(tb interface {
	Setenv(key, value string)
	Cleanup(f func())
}) *connections {
	c := &connections{}
	before := http.DefaultTransport
	http.DefaultTransport = c
	tb.Cleanup(func() { http.DefaultTransport = before })
	tb.Setenv("PATH", "")
	return c
}

// TestNoConnections tells that no field lets the library fetch by itself.
func TestNoConnections(t *testing.T) {
	c := noNetwork(t)
	const far = "https://web.example/org/x.yaml"
	for _, text := range []string{
		"resources: ['" + far + "']", "RESOURCES: ['" + far + "']", "bases: ['" + far + "']", "components: ['" + far + "']", "crds: ['" + far + "']",
		"configurations: ['" + far + "']", "generators: ['" + far + "']", "transformers: ['" + far + "']", "validators: ['" + far + "']",
		"patchesStrategicMerge: ['" + far + "']", "patches: [{path: '" + far + "'}]", "patches: [{Path: '" + far + "'}]",
		"patchesJson6902: [{path: '" + far + "', target: {version: v1, kind: A, name: a}}]",
		"replacements: [{path: '" + far + "'}]", "openapi: {path: '" + far + "'}", "configMapGenerator: [{name: a, files: ['" + far + "']}]",
		"configMapGenerator: [{name: a, files: ['k=" + far + "']}]", "configMapGenerator: [{name: a, envs: ['" + far + "']}]", "configMapGenerator: [{name: a, env: '" + far + "'}]",
		"secretGenerator: [{name: a, files: ['" + far + "']}]", "helmCharts: [{name: a, repo: 'https://web.example', version: 1.0.0}]", "helmCharts: [{name: web, valuesFile: '" + far + "'}]",
		"helmCharts: [{name: web, additionalValuesFiles: ['" + far + "']}]",
		"transformers:\n- |-\n  {apiVersion: builtin, kind: PatchTransformer, metadata: {name: x}, path: '" + far + "'}",
		"transformers:\n- \"{apiVersion: builtin, kind: PatchTransformer, metadata: {name: x}, PATH: '" + far + "'}\"",
		"transformers: [plugin.yaml]", "generators: [plugin.yaml]", "validators: [dir]", "transformers: [list.yaml]",
		"resources: ['git::https://web.example/o/r']", "resources: ['git@web.example:o/r']", "resources: ['file:///etc']", "resources: ['HTTPS:opaque']",
		"resources: ['https://web.example/a: b']", "patchesStrategicMerge: ['https://web.example/a: b']", "transformers: ['https://web.example/a: b']", "resources: [\"https://web.example/o/r\\nx\"]",
	} {
		files := treetest.Files{
			"app/kustomization.yaml": text + "\n", "app/charts/web/Chart.yaml": "",
			"app/plugin.yaml":            "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata: {name: x}\nreplacements: [{path: '" + far + "'}]\n---\napiVersion: /builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nfiles: ['a=" + far + "']\n",
			"app/list.yaml":              "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: builtin, kind: ValueAddTransformer, metadata: {name: x}, targetFilePath: '" + far + "'}\n",
			"app/dir/kustomization.yaml": "resources: [../plugin.yaml]\n",
		}
		_, _, err := setup{files: files, flags: "--enable-helm --load-restrictor LoadRestrictionsNone", charts: &asked{}}.render(t)
		if err == nil && !strings.Contains(text, "helmCharts: [{name: a") {
			t.Errorf("%s: what lies elsewhere is not there", text)
		}
		if c.n.Swap(0) > 0 {
			t.Errorf("%s: the library connects by itself", text)
		}
	}
}

// FuzzKustomization builds what users write: an error is a Problem, nothing
// panics, and nothing connects.
func FuzzKustomization(f *testing.F) {
	c := noNetwork(f)
	for _, s := range []string{
		"resources: [a.yaml, ../base, 'https://git.example/o/r//x?ref=v1']\nnamePrefix: p-\nlabels: [{pairs: {a: b}, includeSelectors: true}]\n",
		"configMapGenerator: [{name: a, literals: [a=b], files: [k=a.yaml], envs: [e.env]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n",
		"resources: [a.yaml]\npatches: [{target: {kind: ConfigMap}, patch: '[{\"op\": \"add\", \"path\": \"/data\", \"value\": {}}]'}]\nreplacements: [{source: {kind: ConfigMap, name: a}, targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.annotations.x], options: {create: true}}]}]\n",
		"helmCharts: [{name: web, valuesInline: {a: null}, valuesMerge: merge}]\nhelmGlobals: {chartHome: charts}\n",
		"generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: x}\n  files: [a.yaml]\n",
		"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n", "resources: [.]\n", "resources: ['../app']\n", "openapi: {version: v1.20.4}\nresources: [a.yaml]\n", "vars: [{name: A, objref: {kind: ConfigMap, name: a, apiVersion: v1}}]\nresources: [a.yaml]\n",
		"buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\nresources: [a.yaml]\nnameSuffix: -s\n", "crds: [a.yaml]\nconfigurations: [a.yaml]\nsortOptions: {order: fifo}\n", "a: &a [*a]", "null", "[]", "\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := setup{
			files: treetest.Files{
				"app/kustomization.yaml": text, "app/a.yaml": configMap + "a\n", "app/e.env": "A=b\n", "app/charts/web/Chart.yaml": "", "app/charts/web/values.yaml": "a: 1\n",
				"base/kustomization.yaml": "resources: [b.yaml]\n", "base/b.yaml": configMap + "b\n",
			},
			remotes: elsewhereTrees{"https://git.example/o/r v1": {"x/kustomization.yaml": "resources: [c.yaml]\n", "x/c.yaml": configMap + "c\n"}},
			flags:   "--enable-helm", charts: &asked{}, web: webFiles{"https://web.example/a.yaml": configMap + "w\n"},
		}
		_, _, err := s.render(t)
		var p *gitops.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("no Problem: %v", err)
		}
		if c.n.Swap(0) > 0 {
			t.Fatal("the library connects by itself")
		}
	})
}
