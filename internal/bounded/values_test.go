package bounded

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// dense are texts that become most for each of their bytes.
var dense = map[string]func(n int) string{
	"empty mappings":         func(n int) string { return "x: [" + strings.Repeat("{},", n) + "1]\n" },
	"empty lists":            func(n int) string { return "x: [" + strings.Repeat("[],", n) + "1]\n" },
	"numbers":                func(n int) string { return "x: [" + strings.Repeat("1,", n) + "1]\n" },
	"keys alone":             func(n int) string { return "x: [" + strings.Repeat("{a},", n) + "1]\n" },
	"pairs":                  func(n int) string { return "x: [" + strings.Repeat("a: b,", n) + "1]\n" },
	"pairs of anchors":       func(n int) string { return "x: [" + strings.Repeat("&a:1,", n) + "1]\n" },
	"quoted pairs":           func(n int) string { return "x: [" + strings.Repeat(`"a":1,`, n) + "1]\n" },
	"pairs of nothing":       func(n int) string { return "x: [" + strings.Repeat("?,", n) + "1]\n" },
	"items":                  func(n int) string { return "x:\n" + strings.Repeat("-\n", n) },
	"items of lists":         func(n int) string { return "x:\n" + strings.Repeat("- -\n", n) },
	"items of keys":          func(n int) string { return "x:\n" + strings.Repeat("- a:\n", n) },
	"items of explicit keys": func(n int) string { return "x:\n" + strings.Repeat("- ? a\n", n) },
	"other line ends":        func(n int) string { return "x:\n" + strings.Repeat("-\u0085", n) + "- 1\n" },
	"keys": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d:\n", i)
		}
		return b.String()
	},
	"documents": func(n int) string { return strings.Repeat("---\n", n) },
}

func TestValuesAreBounded(t *testing.T) {
	for name, text := range dense {
		t.Run(name, func(t *testing.T) {
			few := []byte(text(100))
			if n, err := Check(few); err != nil || 3*n+1 < nodes(few) {
				t.Errorf("of few: %d values for %d nodes, %v", n, nodes(few), err)
			}
			_, err := Check([]byte(text(MostValues + 1)))
			if much := (*TooMuch)(nil); !errors.As(err, &much) {
				t.Errorf("of many: %v", err)
			}
		})
	}
}

// nodes are those that the library makes of a text; 0 when it reads none.
func nodes(text []byte) int {
	n := 0
	in := yamlv3.NewDecoder(strings.NewReader(string(text)))
	for {
		var doc yamlv3.Node
		if in.Decode(&doc) != nil {
			return n
		}
		n += nodesOf(&doc)
	}
}

func nodesOf(n *yamlv3.Node) int {
	out := 1
	for _, c := range n.Content {
		out += nodesOf(c)
	}
	return out
}

func FuzzValues(f *testing.F) {
	for _, text := range dense {
		f.Add([]byte(text(3)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, made := Values(text), nodes(text); 3*got+1 < made {
			t.Errorf("%q: %d values for %d nodes", text, got, made)
		}
	})
}

// A dashboard is a long text with many signs, and nothing more.
func TestLargeTextsAreRead(t *testing.T) {
	row := `{"datasource":{"type":"prometheus","uid":"${datasource}"},"expr":"sum(rate(http_requests_total{job=\"web\",code!=\"200\"}[5m])) by (instance, code)","refId":"A","legendFormat":"{{instance}}"},`
	dashboard := "kind: ConfigMap\ndata:\n  a.json: |\n" + strings.Repeat("    "+row+"\n", 3<<20/len(row))
	crd := "kind: CustomResourceDefinition\nspec:\n" + strings.Repeat("  - name: a\n    description: 'one, two: three'\n    properties: {a: {type: string}, b: {type: object}}\n", 25_000)
	for _, text := range []string{dashboard, crd} {
		if n, err := Check([]byte(text)); err != nil {
			t.Errorf("%d bytes with %d values: %v", len(text), n, err)
		}
	}
}

func TestAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("a: &a [x,x,x,x,x,x,x,x,x,x]\n")
	for c := 'b'; c < 'i'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	bomb := b.String()
	long := "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 100) + "1]\n"
	wide := utf16.Encode([]rune(long))
	encoded := []byte{0xFE, 0xFF}
	for _, u := range wide {
		encoded = append(encoded, byte(u>>8), byte(u))
	}
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"aliases of aliases":     {bomb, false},
		"a long text many times": {long, false},
		"merged":                 {strings.ReplaceAll(bomb, "a: &a [x,x,x,x,x,x,x,x,x,x]", "a: &a {x: 1, y: 2}") + "z: {<<: *h}\n", false},
		"of another encoding":    {string(encoded), false},
		"in a later document":    {"a: 1\n---\n" + bomb, false},
		"itself":                 {"a: &a [*a]\n", false},
		"as people use them":     {"a: &a {b: c}\nd: {<<: *a}\ne: *a\nf: [*a, *a]\n", true},
		"shell":                  {"a: |\n  x &y && *z\n", true},
	} {
		if _, err := Check([]byte(c.text)); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBudget(t *testing.T) {
	b := NewBudget(10)
	if err := errors.Join(b.Check([]byte("a: 1")), b.Check([]byte("[1, 2]")), (*Budget)(nil).Check([]byte("a: 1"))); err != nil {
		t.Error(err)
	}
	long := "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [*a, *a, *a]\n"
	if n, err := Check([]byte(long)); err != nil || n < 40_000 {
		t.Errorf("a long text four times is as %d values, %v", n, err)
	}
	if err := b.Check([]byte("[1, 2, 3, 4, 5]")); err == nil || !strings.Contains(err.Error(), "together") {
		t.Errorf("more than all may have: %v", err)
	}
}

// A text that is just permitted takes no more than what the bound is for.
func TestMemoryOfValues(t *testing.T) {
	for _, name := range []string{"items of keys", "keys", "empty mappings"} {
		n := MostValues / (Values([]byte(dense[name](1001))) - Values([]byte(dense[name](1)))) * 1000
		text := []byte(dense[name](n - 10))
		if _, err := Check(text); err != nil {
			t.Fatal(name, err)
		}
		var value map[string]any
		before := held()
		if err := yaml.Unmarshal(text, &value); err != nil {
			t.Fatal(name, err)
		}
		took := held() - before
		runtime.KeepAlive(value)
		if took > 256<<20 {
			t.Errorf("%s: %d MiB of %d values", name, took>>20, Values(text))
		}
	}
}

func held() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkCheck(b *testing.B) {
	text := []byte(strings.Repeat("- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: \"web\", labels: {a: b}}\n  spec:\n    containers:\n    - name: a\n      image: b/c:1\n", 5000))
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			_, _ = Check(text)
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var v any
			_ = yaml.Unmarshal(text, &v)
		}
	})
}
