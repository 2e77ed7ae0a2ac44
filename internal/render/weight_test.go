package render

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/detector"
)

// TestWeightOfObjects: manifests take no more than they are counted as, whatever they
// are made of, and not much less.
func TestWeightOfObjects(t *testing.T) {
	many := func(n int, item func(int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = item(i)
		}
		return strings.Join(all, ",")
	}
	const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web-%[1]d","namespace":"shop","labels":{"app.kubernetes.io/name":"web","app.kubernetes.io/part-of":"shop-%[1]d"}},` +
		`"spec":{"replicas":2,"selector":{"matchLabels":{"app.kubernetes.io/name":"web"}},"template":{"metadata":{"labels":{"app.kubernetes.io/name":"web"}},"spec":{"containers":[{"name":"web","image":"registry.example.com/shop/web:1.%[1]d.0","args":["--port=8080","--verbose"],"ports":[{"containerPort":8080,"name":"http"}],"resources":{"requests":{"cpu":"10m","memory":"32Mi"}}}]}}}}`
	for name, c := range map[string]struct {
		item func(i int) string
		most float64 // of what it takes
	}{
		"Empty":   {func(int) string { return `{}` }, 1.3},
		"Lists":   {func(int) string { return `[]` }, 1.3},
		"Nulls":   {func(int) string { return `null` }, 1.3},
		"Numbers": {func(i int) string { return strconv.Itoa(1000 + i) }, 1.4},
		"Texts":   {func(i int) string { return fmt.Sprintf("%q", strconv.Itoa(i)) }, 1.6},
		"One":     {func(int) string { return `{"a":1}` }, 1.3},
		"Nested":  {func(int) string { return `[[[]]]` }, 1.3},
		"Few":     {func(int) string { return `{"a":{},"b":{},"c":{},"d":{}}` }, 1.3},
		"Nine": {func(i int) string {
			return "{" + many(9, func(j int) string { return fmt.Sprintf(`"k%d-%d":""`, i, j) }) + "}"
		}, 1.5},
		"Keys": {func(i int) string {
			return "{" + many(1000, func(j int) string { return fmt.Sprintf(`"key-of-some-length-%d-%d":null`, i, j) }) + "}"
		}, 1.6},
		"Deployments": {func(i int) string { return fmt.Sprintf(deployment, i) }, 1.5},
		"Large":       {func(i int) string { return fmt.Sprintf("%q", strings.Repeat(strconv.Itoa(i), 10000)) }, 1.3},
	} {
		t.Run(name, func(t *testing.T) {
			n := max(1, 1<<20/len(c.item(1)))
			text := []byte(`{"a":[` + many(n, c.item) + `]}`)
			object, took := leastTaken(t, text)
			counted := gitops.Weight([]gitops.Manifest{{Object: &unstructured.Unstructured{Object: object}}})
			runtime.KeepAlive(text)
			least := 0.95
			if detector.On {
				least = 0.75 // it keeps small values apart: a number takes 16 bytes
			}
			if float64(counted) < least*float64(took) || float64(counted) > c.most*float64(took) {
				t.Errorf("%d KiB of JSON take %d KiB, and are counted as %d", len(text)>>10, took>>10, counted>>10)
			}
			t.Logf("%.1f a byte, counted as %.1f (%.2f)", float64(took)/float64(len(text)), float64(counted)/float64(len(text)), float64(counted)/float64(took))
		})
	}
}

// leastTaken is an object and what it takes, by the least of several measurements: what goes on beside them takes memory, too.
func leastTaken(t *testing.T, text []byte) (map[string]any, int64) {
	t.Helper()
	const tries = 3
	var object map[string]any
	least := int64(math.MaxInt64)
	for range tries {
		before := taken()
		read, err := readObject(text, new(keys))
		if err != nil {
			t.Fatal(err)
		}
		object, least = read, min(least, taken()-before)
	}
	return object, least
}

func taken() int64 {
	runtime.GC()
	runtime.GC() // what is freed by the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestObjectsAreCountedAsTheyAre: a rendering that takes much for the length of its
// JSON counts as what it takes, made and unpacked.
func TestObjectsAreCountedAsTheyAre(t *testing.T) {
	const n = 10_000
	list := make([]any, n)
	for i := range list {
		list[i] = map[string]any{"a": int64(i)}
	}
	e := &entry{manifests: []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{"list": list}}}}}
	if err := e.seal(Options{}.withDefaults().Limits); err != nil {
		t.Fatal(err)
	}
	back, err := e.cooled().unpacked()
	if err != nil {
		t.Fatal(err)
	}
	if made, read := e.hotBytes(), back.hotBytes(); made < 300*n || read < made || e.cooled().hotBytes() != 0 {
		t.Errorf("it counts as %d bytes made, as %d unpacked, and as %d packed", made, read, e.cooled().hotBytes())
	}
}

// BenchmarkWeight is beside what is done with each rendering anyway.
func BenchmarkWeight(b *testing.B) {
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{"name": "web", "args": []any{"--verbose"}, "port": int64(8080)}
	}
	manifests := []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{"list": list}}}}
	for b.Loop() {
		gitops.Weight(manifests)
	}
}

// BenchmarkSeal has the weight in it.
func BenchmarkSeal(b *testing.B) {
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{"name": "web", "args": []any{"--verbose"}, "port": int64(8080)}
	}
	e := &entry{manifests: []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{"list": list}}}}}
	for b.Loop() {
		if err := e.seal(Options{}.withDefaults().Limits); err != nil {
			b.Fatal(err)
		}
	}
}
