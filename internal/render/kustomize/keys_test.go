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
	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/detector"
)

// TestManyKeys: the library compares each key of a mapping with all others, and
// writes a line for each pair of the same key.
func TestManyKeys(t *testing.T) {
	for name, c := range map[string]struct {
		reason, text, want string
	}{
		"Few":       {"the library tells", configMap + "a\ndata: {a: b, a: c}\n", ""},
		"Twice":     {"in a text with many keys", many(configMap+"a\ndata:\n", "  k%d: a\n", 300) + "  k7: b\n", "a key stands twice in a mapping"},
		"Often":     {"one key again and again", configMap + "a\ndata: {" + strings.Repeat("a,", 4000) + "}\n", "a key stands twice in a mapping"},
		"Complex":   {"keys that are no texts are the same to the library", configMap + "a\ndata: {" + strings.Repeat("[a]: b,", 300) + "}\n", "a key stands twice in a mapping"},
		"Second":    {"in a document that follows", "a: b\n---\n" + configMap + "a\ndata: {" + strings.Repeat("a,", 300) + "}\n", "a key stands twice in a mapping"},
		"Many":      {"all different", many(configMap+"a\ndata: {", "k%d,", plainKeys+1) + "}\n", manyKeys},
		"Long":      {"few keys with long texts", configMap + "a\ndata:\n  a: |\n" + strings.Repeat("    a, b\n", 20_000), ""},
		"Separate":  {"in many mappings", many("", "---\n"+configMap+"a%d\ndata: {a: b, c: d}\n", 900), ""},
		"Broken":    {"what is not read is not plain", configMap + "a\ndata: {" + strings.Repeat("a,", 300), "a file cannot be read"},
		"Divided":   {"nor what the library takes apart in another way", many("a: >\n  b\n---# c: |\n", "  k%d: a\n", 300), "a file cannot be read"},
		"Ended":     {"by a comment that ends for one of them", many("a: >\n  b\n--- # c\rd: |\n", "  k%d: a\n", 300), "a file cannot be read"},
		"Spaced":    {"by a space that is none to the other one", many("a: >\n  b\n--- \u00a0# d: |\n", "  k%d: a\n", 300), "a file cannot be read"},
		"Separator": {"a sign of the next document inside of another", "{a: b,\n---\n" + strings.Repeat("c,", 300) + "}\n", "a file cannot be read"},
	} {
		var s sum
		if odd := s.file([]byte(c.text), asObjects); odd != c.want {
			t.Errorf("%s: %s: %q", name, c.reason, odd)
		}
	}
}

// TestPairsOfKeys are bounded for all files and patches together.
func TestPairsOfKeys(t *testing.T) {
	wide := []byte(many(configMap+"a\ndata:\n", "  k%d: a\n", plainKeys/2))
	for name, c := range map[string]struct {
		reason string
		before sum
		want   string
	}{
		"One":     {"as people may have it", sum{patches: 100}, ""},
		"Files":   {"each is read", sum{keys: keys{squares: plainPairs - plainKeys}}, manyKeys},
		"Patches": {"and merged with each patch", sum{patches: 4 * plainPairs / plainKeys / plainKeys}, manyKeys},
		"Objects": {"in each object", sum{objects: 900, patches: 50, keys: keys{all: 300}}, manyKeys},
		"Widest":  {"all in one", sum{keys: keys{own: 1000, made: 1501}}, manyKeys},
	} {
		if odd := c.before.file(wide, asObjects); odd != c.want {
			t.Errorf("%s: %s: %q", name, c.reason, odd)
		}
	}
}

// TestAKeyTwice names the file of the repository, the key and its line,
// whichever process finds it, and however often it is there.
func TestAKeyTwice(t *testing.T) {
	workers := worker.NewPool(workerKind, worker.Limits{Memory: 192 << 20, Time: buildTime})
	t.Cleanup(workers.Close)
	for name, text := range map[string]string{
		"few":        configMap + "a\ndata:\n  a: b\n  a: c\n",
		"worker":     configMap + "a\ndata:\n  a: b\n  a: c\n" + strings.Repeat("# a\n", fewKeys),
		"long error": configMap + "a\ndata:\n  a: b\n  a: c\n" + strings.Repeat("  a: b\n", 1000),
		"memory":     configMap + "a\ndata:\n  a: b\n  a: c\n" + strings.Repeat("  a: b\n", 4000),
	} {
		if (name == "memory" || name == "long error") && detector.On {
			continue // they take more than the limit here
		}
		_, _, err := setup{workers: workers, files: treetest.Files{"app/kustomization.yaml": "resources: [b.yaml, a.yaml]\n", "app/a.yaml": "# first\n" + text, "app/b.yaml": configMap + "b\n"}}.render(t)
		var p *gitops.Problem
		const want = `cannot build the kustomization: key "a" stands twice in one mapping, in lines 7 and 8 of its file (https://git.example/home at home app/a.yaml:8); take one of the two out`
		if !errors.As(err, &p) || p.Error() != want {
			t.Errorf("%s: it ends with %.500v", name, err)
		}
	}
}

// TestManyKeysAreBuilt: they are read where that can be stopped.
func TestManyKeysAreBuilt(t *testing.T) {
	files := treetest.Files{"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": many(configMap+"a\ndata:\n", "  k%d: a\n", plainKeys+1)}
	out, _, err := setup{files: files}.render(t)
	if err != nil || len(out) != 1 || len(out[0].Object.Object["data"].(map[string]any)) != plainKeys+1 { //nolint:forcetypeassert // a test
		t.Errorf("%d objects, %v", len(out), err)
	}
	files["app/a.yaml"] = configMap + "a\ndata: {a: b}\n"
	files["app/kustomization.yaml"] += "patches:\n- patch: |-\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {" + strings.Repeat("a: c,", 300) + "}}\n"
	out, _, err = setup{files: files}.render(t)
	if err != nil || len(out) != 1 {
		t.Errorf("a patch may say a thing twice: %v", err)
	}
}

// FuzzKeys has no mapping with more keys than are counted in what the library
// reads of a text, and none with the same key twice.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"{a,a}", "a: 1\na: 2\n", "? a\n? b\n", "{? a : b, ? c : d}", "- {a: b}\n- c: d\n  e: f\n", "a: 1\r b: 2\rc: 3", "a: 1\u2028b: 2\u0085c: 3", "a\n---\nb: 1\nb: 2\n", "a: |\n b\n---\n  c: 1\n  c: 1\n", "{a: 1,\n---\na: 2}", "\xef\xbb\xbfa: 1\n---\n\xef\xbb\xbfa: 1\n", "kind: List\nitems: [{a,a}]\n", "a\n---# b: |\n  c: 1\n  c: 1\n", "a\n--- # b\rb: |\n  c: 1\n  c: 1\n", "a\n--- \u00a0# b: |\n  c: 1\n  c: 1\n", "a: 1\n--- # ok\r\nb: 1\n", "\"a\\\nb\": 1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if encoded(text) {
			return
		}
		found, err := shapeOf(text)
		nodes, _ := (&kio.ByteReader{OmitReaderAnnotations: true, DisableUnwrapping: true, Reader: bytes.NewReader(text)}).Read()
		var s shape
		for _, n := range nodes {
			s.node(n.Document())
		}
		if s.widest > breaks(text)+1 {
			t.Fatalf("%q has %d keys, and %d are counted", text, s.widest, breaks(text)+1)
		}
		if err == nil && (s.widest > found.widest || (s.second != nil) != (found.second != nil) && s.second != nil) {
			t.Fatalf("%q: the library sees %d keys, and %d are seen here", text, s.widest, found.widest)
		}
	})
}

// TestMergedKeysAreBounded: values of charts are merged by the square.
func TestMergedKeysAreBounded(t *testing.T) {
	half := func(letter string, n int) []byte { return []byte(many("", letter+"%d: 1\n", n)) }
	if _, err := mergeYAML(half("k", 8000), half("l", 8000)); !errors.Is(err, errManyKeys) {
		t.Errorf("got %v", err)
	}
	merged, err := mergeYAML(half("k", 300), half("l", 300))
	var values map[string]int
	if err != nil || kyaml.Unmarshal(merged, &values) != nil || len(values) != 600 {
		t.Errorf("%d values, %v", len(values), err)
	}
	_, _, err = setup{
		files:  treetest.Files{"app/kustomization.yaml": many("helmCharts:\n- name: web\n  valuesFile: v.yaml\n  valuesInline:\n", "    k%d: 1\n", 8000), "app/v.yaml": string(half("l", 8000)), "app/charts/web/Chart.yaml": ""},
		charts: &asked{}, flags: "--enable-helm",
	}.render(t)
	var p *gitops.Problem
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "cannot merge the values of chart web: their mappings have too many keys") {
		t.Errorf("it ends with %.300v", err)
	}
}
