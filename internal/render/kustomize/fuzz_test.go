package kustomize

import (
	"errors"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// connections counts what the library would open by itself.
type connections struct {
	n atomic.Int64
	// ran is a file that git makes when it runs.
	ran string
}

func (c *connections) RoundTrip(*http.Request) (*http.Response, error) {
	c.n.Add(1)
	return nil, errors.New("connections are not allowed")
}

// made reports what the library did by itself since the last time.
func (c *connections) made() bool {
	return c.n.Swap(0) > 0 || os.Remove(c.ran) == nil
}

// noNetwork lets the library neither connect nor run another git than one that
// leaves a file, and tells if it tries.
func noNetwork(tb testing.TB) *connections {
	tb.Helper()
	dir := tb.TempDir()
	c := &connections{ran: filepath.Join(dir, "ran")}
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n: > '"+c.ran+"'\nexit 1\n"), 0o700); err != nil {
		tb.Fatal(err)
	}
	before := http.DefaultTransport
	http.DefaultTransport = c
	tb.Cleanup(func() { http.DefaultTransport = before })
	tb.Setenv("PATH", dir)
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
		if c.made() {
			t.Errorf("%s: the library connects by itself", text)
		}
	}
}

// beneath are files of each kind in a folder of app, beside a kustomization.
func beneath(folder, kustomization string) treetest.Files {
	files := treetest.Files{"app/kustomization.yaml": kustomization + "\n", "app/a.yaml": configMap + "a\n"}
	generator := "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: g}\nliterals: [a=b]\n"
	for name, text := range map[string]string{
		"kustomization.yaml": "resources: [b.yaml]\n", "b.yaml": configMap + "b\n", "c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: c-\n",
		"schema.json": `{"definitions": {}}`, "config.yaml": "namePrefix: []\n", "g.yaml": generator, "g/kustomization.yaml": "resources: [g.yaml]\n", "g/g.yaml": generator,
		"t.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: t}\n", "p.yaml": configMap + "a\ndata: {a: b}\n", "r.yaml": "[]\n", "e.env": "A=b\n",
	} {
		files[path.Join("app", folder, name)] = text
	}
	return files
}

// TestGitIsNotRun has files in a folder whose name is an address to the library
// alone, which makes letters small in its own way: it is refused in each field,
// and built where it is written as a path, as other odd names are.
func TestGitIsNotRun(t *testing.T) {
	c := noNetwork(t)
	for folder, refused := range map[string]bool{"gİthub.com/evil/repo": true, "./gİthub.com/evil/repo": false, "größe@home:x/\u212aube": false} {
		for _, text := range []string{
			"resources: ['ENTRY']", "resources: ['ENTRY/b.yaml']", "bases: ['ENTRY']", "components: ['ENTRY/c']", "crds: ['ENTRY/schema.json']", "configurations: ['ENTRY/config.yaml']", "openapi: {path: 'ENTRY/schema.json'}",
			"generators: ['ENTRY/g.yaml']", "generators: ['ENTRY/g']", "transformers: ['ENTRY/t.yaml']", "validators: ['ENTRY/t.yaml']",
			"patches: [{path: 'ENTRY/p.yaml'}]", "patchesStrategicMerge: ['ENTRY/p.yaml']", "replacements: [{path: 'ENTRY/r.yaml'}]",
			"configMapGenerator: [{name: made, files: ['ENTRY/b.yaml', 'k=ENTRY/b.yaml'], envs: ['ENTRY/e.env']}]", "secretGenerator: [{name: made, env: 'ENTRY/e.env'}]",
		} {
			text = strings.ReplaceAll(text, "ENTRY", folder)
			if !strings.Contains(text, "resources:") {
				text += "\nresources: [a.yaml]"
			}
			_, _, err := setup{files: beneath(folder, text), flags: "--load-restrictor LoadRestrictionsNone"}.render(t)
			if c.made() {
				t.Errorf("%s: the library fetches by itself", text)
			}
			if told := err != nil && strings.Contains(err.Error(), "is an address that is not read"); told != refused || !refused && err != nil {
				t.Errorf("%s: it ends with %v", text, err)
			}
		}
	}
	for _, text := range []string{
		"resources: ['gİthub.com/evil/repo?timeout=99h']", "resources: [\"gİthub.com/evil/repo\\nx\"]", "resources: ['gİthub.com/evil/repo: x']",
		"generators: ['gİthub.com/evil/repo: x']", "transformers: ['gİthub.com/evil/repo: x']", "patchesStrategicMerge: ['gİthub.com/evil/repo: x']",
	} {
		if _, _, err := (setup{files: beneath("x", text)}).render(t); err == nil || c.made() {
			t.Errorf("%s: it ends with %v, or the library fetches by itself", text, err)
		}
	}
}

// TestOddNamesInMessages: how paths are written for the library is not told, and
// is in no object.
func TestOddNamesInMessages(t *testing.T) {
	files := treetest.Files{"app/kustomization.yaml": "resources: [größe.yaml]\n", "app/größe.yaml": "a: b\n"}
	_, _, err := setup{files: files}.render(t)
	if err == nil || !strings.Contains(err.Error(), "'größe.yaml'") || strings.Contains(err.Error(), here) {
		t.Errorf("got %v", err)
	}
	files["app/größe.yaml"] = configMap + "a\n"
	files["app/kustomization.yaml"] += "configMapGenerator: [{name: b, files: [größe.yaml]}]\nbuildMetadata: [originAnnotations]\n"
	out, _, err := setup{files: files}.render(t)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, m := range out {
		object, err := m.Object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		text.Write(object)
	}
	all := text.String()
	if !strings.Contains(all, `"größe.yaml":`) || !strings.Contains(all, `path: größe.yaml`) || strings.Contains(all, here) {
		t.Errorf("got %s", all)
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
		"buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\nresources: [a.yaml]\nnameSuffix: -s\n", "crds: [a.yaml]\nconfigurations: [a.yaml]\nsortOptions: {order: fifo}\n", "components: ['gİthub.com/o/r?timeout=99h']\n", "resources: [\"gİthub.com/o/r\\n\", 'GİTHUB.COM:o/r', '\u212aube/a.yaml']\n", "generators: ['gİthub.com/o/r: x']\n",
		"a: &a [*a]", "null", "[]", "\x00",
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
		if c.made() {
			t.Fatal("the library connects by itself")
		}
	})
}
