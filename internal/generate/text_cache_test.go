package generate

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

func heldBy(t *testing.T, fill func() any) int64 {
	t.Helper()
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	made := fill()
	after := heap()
	runtime.KeepAlive(made)
	return after - before
}

// TestTextsOfFilesAreNotKept: values that are templates themselves may bring
// another text with each parameter set.
func TestTextsOfFilesAreNotKept(t *testing.T) {
	const most = 4 * mostKept
	for name, text := range map[string]string{
		"Plain": "{{1}}x%d", "Asks": "{{.a%d}}", "Defines": `{{define "a"}}{{end}}{{1}}x%d`, "Long": strings.Repeat("{{1}}", 2000) + "x%d",
		"Path": "{{$x := .a}}" + strings.Repeat("{{$x = $x.a}}", 1500) + "%d",
	} {
		t.Run(name, func(t *testing.T) {
			limits := DefaultLimits()
			l := newLacks()
			held := heldBy(t, func() any {
				g := newGoTexts(t.Context(), nil, limits, &budget{limits.Total}, l)
				for i := range 5000 / (1 + len(text)/100) {
					_, _ = g.render(fmt.Sprintf(text, i), Params{})
				}
				return g
			})
			if held > most || len(l.asked) > mostAsked {
				t.Errorf("%d bytes and %d keys are held", held, len(l.asked))
			}
		})
	}
	held := heldBy(t, func() any {
		f := newFastTexts(DefaultLimits(), &budget{1 << 30}, newLacks())
		for i := range 1000 {
			_, _ = f.render(fmt.Sprintf("%s%d", strings.Repeat("{{a}}", 2000), i), Params{})
		}
		return f
	})
	if held > most {
		t.Errorf("%d bytes are held of fast texts", held)
	}
	held = heldBy(t, func() any {
		p := &patches{held: &account{share: 1 << 30, most: 1 << 30}}
		for i := range 300 {
			if _, err := p.read(fmt.Sprintf("metadata:\n  annotations: {a: %s%d}", strings.Repeat("x", 100_000), i)); err != nil {
				t.Fatal(err)
			}
		}
		return p
	})
	if held > most {
		t.Errorf("%d bytes are held of patches", held)
	}
}

// TestTemplatesAreBoundedBeforeTheyAreParsed: a text that comes out of a file
// is not what was counted in it.
func TestTemplatesAreBoundedBeforeTheyAreParsed(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("{{if .}}", 300_000), `{{"{{/*"}}` + strings.Repeat("{{if.}}", 300_000), "{{" + strings.Repeat("(", 300_000),
		strings.Repeat("{{1}}", 300_000), "{{$x := .a}}" + strings.Repeat("{{$x = $x.a}}", 100_000),
	} {
		g := newGoTexts(t.Context(), nil, DefaultLimits(), &budget{1 << 30}, newLacks())
		if _, err := g.render(text, Params{}); !bounded.IsCostly(err) {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// TestLongPathsAreNotAsked: what is asked of a variable that is set below itself is no
// parameter of its own, and may be any.
func TestLongPathsAreNotAsked(t *testing.T) {
	g := newGoTexts(t.Context(), nil, DefaultLimits(), &budget{1 << 30}, newLacks())
	if err := g.prepare(); err != nil {
		t.Fatal(err)
	}
	parsed, err := g.parse("{{$x := .a}}" + strings.Repeat("{{$x = $x.a}}", 1600))
	if err != nil {
		t.Fatal(err)
	}
	parts := 0
	for _, a := range parsed.asks {
		parts += len(a.path)
	}
	if parts > mostPath*mostPath {
		t.Errorf("the paths of %d asks have %d parts", len(parsed.asks), parts)
	}
}

// TestKeptTextsAreBounded: another text with each parameter set replaces what
// was kept, and what is asked for is remembered up to a bound.
func TestKeptTextsAreBounded(t *testing.T) {
	l := newLacks()
	g := newGoTexts(t.Context(), nil, DefaultLimits(), &budget{1 << 30}, l)
	for i := range 3 * mostAsked {
		if _, err := g.render(fmt.Sprintf("{{1}}{{.a%d}}", i), Params{}); err != nil {
			t.Fatal(err)
		}
		if g.parsed.bytes > mostKept {
			t.Fatalf("%d bytes are kept after %d texts", g.parsed.bytes, i)
		}
	}
	if len(l.asked) > mostAsked || len(g.parsed.texts)*perText > mostKept {
		t.Errorf("%d keys and %d texts are kept", len(l.asked), len(g.parsed.texts))
	}
}

// TestDeepBlocksInDeepCalls: a template that calls itself inside many blocks
// has all of them at each level.
func TestDeepBlocksInDeepCalls(t *testing.T) {
	for _, block := range []string{"if 1", "with 1", "range list 1"} {
		g := newGoTexts(t.Context(), nil, DefaultLimits(), &budget{1 << 30}, newLacks())
		blocks := strings.Repeat("{{"+block+"}}", 450) + `{{template "t" .}}` + strings.Repeat("{{end}}", 450)
		_, err := g.render(`{{define "t"}}`+blocks+`{{end}}{{template "t" .}}`, Params{})
		if !errors.Is(err, errDeepCalls) || g.depth > deepest+bounded.MostNest {
			t.Errorf("%s: %v at %d levels", block, err, g.depth)
		}
	}
}

// TestBufferEndsAtItsLimit: io.WriteString passes by Write where it can.
func TestBufferEndsAtItsLimit(t *testing.T) {
	b := &limitedBuffer{limit: 3}
	if _, err := io.WriteString(b, "abc"); err != nil {
		t.Error(err)
	}
	if _, err := io.WriteString(b, "d"); err == nil || b.Len() != 3 {
		t.Errorf("got %v with %d bytes", err, b.Len())
	}
}

// TestFastTextsEndAtTheirLimit: many placeholders of one long value take no
// more than the limit on the way to it.
func TestFastTextsEndAtTheirLimit(t *testing.T) {
	var before, after runtime.MemStats
	f := newFastTexts(Limits{Text: 1 << 20}.complete(), &budget{1 << 30}, newLacks())
	runtime.ReadMemStats(&before)
	_, err := f.render(strings.Repeat("{{a}}", 2000), Params{"a": strings.Repeat("x", 100_000)})
	runtime.ReadMemStats(&after)
	if err == nil || after.TotalAlloc-before.TotalAlloc > 32<<20 {
		t.Errorf("got %v, and %d bytes were taken", err, after.TotalAlloc-before.TotalAlloc)
	}
}
