package bounded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// parts are costs by which a meter counts what a text has.
var (
	elements = Cost{Element: 1}
	members  = Cost{Member: 1}
	objects  = Cost{Object: 1}
)

func TestMeterCounts(t *testing.T) {
	for text, want := range map[string][3]int64{
		`1`:                         {0, 0, 0},
		`[]`:                        {0, 0, 0},
		`[ ]`:                       {0, 0, 0},
		`{ }`:                       {0, 0, 0},
		`[1,"a",null,{}]`:           {4, 0, 0},
		`{"a":1,"b":[1,2],"c":{}}`:  {2, 3, 1},
		`{"a,\"{[\\":"}],{\\\"["}`:  {0, 1, 1},
		"[\n{\n}\n,\n[\n]\n]":       {2, 0, 0},
		`[[1],[[]],{"a":{"b":{}}}]`: {5, 2, 2},
	} {
		for i, c := range []Cost{elements, members, objects} {
			if got := Measured([]byte(text), c) - perByte*int64(len(text)); got != want[i] {
				t.Errorf("%s: %d of %d, want %d", text, got, i, want[i])
			}
		}
	}
}

// A text has the same parts in whatever pieces it passes.
func TestMeterTakesPieces(t *testing.T) {
	text := []byte(`{"a\\\"":[{"b":"\u0022,"},{},[1,2,"\\"]],"c":{"d":"{"}}` + "\n" + `{"e":[]}`)
	want := Measured(text, Maps)
	for range 50 {
		m := NewMeter(Maps)
		for rest := text; len(rest) > 0; {
			piece := rest[:1+rand.N(len(rest))]
			for rest = rest[len(piece):]; len(piece) > 0; {
				piece = piece[m.Value(piece):]
			}
		}
		if m.Takes() != want || !m.Ended() {
			t.Fatalf("takes %d, want %d", m.Takes(), want)
		}
	}
}

func TestMeterEndsWithAValue(t *testing.T) {
	const first, second = `{"a":"}{","b":[{}]}`, "\n" + `[{"a":1}]`
	m := NewMeter(Maps)
	if n := m.Value([]byte(first + second)); n != len(first) || !m.Ended() {
		t.Errorf("the first value has %d bytes, want %d", n, len(first))
	}
	if m.Value([]byte(" ")); m.Ended() {
		t.Error("a space ends a value")
	}
	m.Begin()
	if n := m.Value([]byte(second)); n != len(second) || m.Bytes() != int64(n) {
		t.Errorf("the second value has %d bytes, want %d", n, len(second))
	}
	if m.Value([]byte(strings.Repeat("[", maxOpen+2))); !m.TooDeep() {
		t.Error("it is not too deep")
	}
}

// What maps and lists take is no more than what is measured.
func TestMeterMeasuresMemory(t *testing.T) {
	for name, item := range map[string]string{
		"empty objects": `{}`, "empty lists": `[]`, "numbers": `1`, "texts": `"a"`, "objects": `{"a":1}`, "lists": `[1]`,
		"deep": strings.Repeat(`{"":`, 1000) + "1" + strings.Repeat("}", 1000),
		"objects of many": func() string {
			var b strings.Builder
			for i := range 1000 {
				fmt.Fprintf(&b, `"%x":1,`, i)
			}
			return "{" + b.String() + `"z":1}`
		}(),
	} {
		text := []byte("[" + strings.Repeat(item+",", 1<<20/len(item)) + "1]")
		var value any
		before := held()
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(name, err)
		}
		took := held() - before
		runtime.KeepAlive(value)
		if measured := Measured(text, Maps); took > measured || measured > 160<<20 {
			t.Errorf("%s: %d KiB of %d bytes, measured as %d KiB", name, took>>10, len(text), measured>>10)
		}
	}
}

// What etcd takes may be read, whatever is in it.
func TestAnyStoredObjectMayBeRead(t *testing.T) {
	const stored = 3 << 19
	for _, item := range []string{`{},`, `1,`, `{"":1},`, `[1],`, `{"":[{"":1}]},`, strings.Repeat(`{"":`, 2000) + "1" + strings.Repeat("}", 2000) + ","} {
		if n := Measured([]byte("["+strings.Repeat(item, stored/len(item))), Maps); n > 120<<20 {
			t.Errorf("%.20s takes %d MiB", item, n>>20)
		}
	}
}

func FuzzMeter(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\\\""}],"c":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return
		}
		if got, want := Measured(text, elements)-perByte*int64(len(text)), int64(elementsOf(v)); got < want {
			t.Errorf("%q: %d elements, want %d or more", text, got, want)
		}
	})
}

func elementsOf(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		n = len(v)
		for _, item := range v {
			n += elementsOf(item)
		}
	case map[string]any: // a key that is there twice counts once here
		for _, item := range v {
			n += elementsOf(item)
		}
	}
	return n
}

func BenchmarkMeter(b *testing.B) {
	text := []byte("[" + strings.Repeat(`{"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"containers":[{"name":"a","image":"b/c:1","args":["--a","--b"]}]}},`, 5000) + "1]")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Measured(text, Maps)
	}
}
