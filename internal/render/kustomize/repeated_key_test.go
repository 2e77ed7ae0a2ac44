package kustomize

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// TestAKeyTwice names the file of the repository, the key and its line, however often it
// is there.
func TestAKeyTwice(t *testing.T) {
	for name, text := range map[string]string{
		"few":        configMap + "a\ndata:\n  a: b\n  a: c\n",
		"long error": configMap + "a\ndata:\n  a: b\n  a: c\n" + strings.Repeat("  a: b\n", 1000),
	} {
		_, _, err := setup{files: treetest.Files{"app/kustomization.yaml": "resources: [b.yaml, a.yaml]\n", "app/a.yaml": "# first\n" + text, "app/b.yaml": configMap + "b\n"}}.render(t)
		var p *gitops.Problem
		const want = `cannot build the kustomization: key "a" stands twice in one mapping, in lines 7 and 8 of its file (https://git.example/home at home app/a.yaml:8); take one of the two out`
		if !errors.As(err, &p) || p.Error() != want {
			t.Errorf("%s: it ends with %.500v", name, err)
		}
	}
}

// TestLongErrors: of what the library says, a line for each pair of the same key, no more
// is kept than anybody reads.
func TestLongErrors(t *testing.T) {
	text := "# first\n---# and the second\n" + configMap + "a\ndata:\n" + strings.Repeat("  a: b\n", 200)
	_, _, err := setup{files: treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": text}}.render(t)
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Err == nil || len(p.Err.Error()) > maxError+10 {
		t.Errorf("it ends with %.500v", err)
	}
}

// TestManyKeysAreBuilt: mappings may be large, and a patch may say a thing twice.
func TestManyKeysAreBuilt(t *testing.T) {
	const manyKeys = 5001
	files := treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": many(configMap+"a\ndata:\n", "  k%d: a\n", manyKeys)}
	out, _, err := setup{files: files}.render(t)
	if err != nil || len(out) != 1 || len(out[0].Object.Object["data"].(map[string]any)) != manyKeys { //nolint:forcetypeassert // a test
		t.Errorf("%d objects, %v", len(out), err)
	}
	files["app/a.yaml"] = configMap + "a\ndata: {a: b}\n"
	files["app/kustomization.yaml"] += "patches:\n- patch: |-\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {" + strings.Repeat("a: c,", 300) + "}}\n"
	out, _, err = setup{files: files}.render(t)
	if err != nil || len(out) != 1 {
		t.Errorf("a patch may say a thing twice: %v", err)
	}
}

// FuzzKeys has the library see no key twice in a mapping that is not seen here, too.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"{a,a}", "a: 1\na: 2\n", "? a\n? b\n", "{? a : b, ? c : d}", "- {a: b}\n- c: d\n  e: f\n", "a: 1\r b: 2\rc: 3", "a: 1\u2028b: 2\u0085c: 3", "a\n---\nb: 1\nb: 2\n", "a: |\n b\n---\n  c: 1\n  c: 1\n", "{a: 1,\n---\na: 2}", "\xef\xbb\xbfa: 1\n---\n\xef\xbb\xbfa: 1\n", "kind: List\nitems: [{a,a}]\n", "a\n---# b: |\n  c: 1\n  c: 1\n", "a\n--- # b\rb: |\n  c: 1\n  c: 1\n", "a\n--- \u00a0# b: |\n  c: 1\n  c: 1\n", "a: 1\n--- # ok\r\nb: 1\n", "\"a\\\nb\": 1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.IndexByte(text, 0) >= 0 {
			return // another encoding
		}
		found, err := shapeOf(text)
		nodes, _ := (&kio.ByteReader{OmitReaderAnnotations: true, DisableUnwrapping: true, Reader: bytes.NewReader(text)}).Read()
		var s shape
		for _, n := range nodes {
			s.node(n.Document())
		}
		if err == nil && (s.squares > found.squares || s.second != nil && found.second == nil) {
			t.Fatalf("%q: the library sees %+v, and %+v is seen here", text, s, found)
		}
	})
}

// TestMergedKeysAreBounded: values of charts are merged by the square.
func TestMergedKeysAreBounded(t *testing.T) {
	half := func(letter string, n int) []byte { return []byte(many("", letter+"%d: 1\n", n)) }
	for line, more := range map[string]int{"": 0, "---x: 1\n": 1, "--- x\n": 0} { // elsewhere, the last two may divide a text
		if _, err := mergeYAML(append(half("k", 8000), line...), append(half("l", 8000), line...)); !errors.Is(err, errManyKeys) {
			t.Errorf("with line %q: %v", line, err)
		}
		merged, err := mergeYAML(append(half("k", 300), line...), half("l", 300))
		var values map[string]int
		if err != nil || kyaml.Unmarshal(merged, &values) != nil || len(values) != 600+more {
			t.Errorf("with line %q: %d values, %v", line, len(values), err)
		}
	}
	_, _, err := setup{
		files:  treetest.Files{"app/kustomization.yaml": many("helmCharts:\n- name: web\n  valuesFile: v.yaml\n  valuesInline:\n", "    k%d: 1\n", 8000), "app/v.yaml": string(half("l", 8000)), "app/charts/web/Chart.yaml": ""},
		charts: &asked{}, flags: "--enable-helm",
	}.render(t)
	var p *gitops.Problem
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "cannot merge the values of chart web: their mappings have too many keys") {
		t.Errorf("it ends with %.300v", err)
	}
}
