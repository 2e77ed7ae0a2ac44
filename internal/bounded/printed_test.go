package bounded

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

type named map[string]any

// TestPrinted: what is measured is no less than what printing takes, and not
// many times of it.
func TestPrinted(t *testing.T) {
	long := strings.Repeat("x", 1000)
	shared := []any{long, long, map[string]any{long: long}}
	for name, v := range map[string]any{
		"text": long, "list": []any{shared, shared, shared}, "own type": named{"a": shared, "b": named{"c": long}}, "numbers": []int{1, 2, 3},
		"texts": map[string]string{"a": long}, "bytes": []byte(long), "pointer": &shared, "time": time.Now(), "keys": map[int][]string{1: {long}}, "nothing": nil,
	} {
		size, err := Printed(1<<20, v)
		if printed := len(fmt.Sprint(v)); err != nil || size.Bytes < int64(printed) || size.Bytes > 2*int64(printed)+200 {
			t.Errorf("%s: %d bytes for %d, %v", name, size.Bytes, printed, err)
		}
	}
	self := map[string]any{}
	self["a"] = []any{self}
	if _, err := Printed(1<<30, self); !errors.Is(err, ErrDeep) {
		t.Errorf("a value that contains itself: %v", err)
	}
	doubled := []any{long}
	for range 60 {
		doubled = []any{doubled, doubled}
	}
	if _, err := Printed(1<<20, doubled); !errors.Is(err, ErrLarge) {
		t.Errorf("a list that doubles itself: %v", err)
	}
}

func TestFormatted(t *testing.T) {
	for format, want := range map[string]int64{"%5d": 69 + 3, "%.3f": 3 + 4 + 64, "plain": 5 + 64, "%*d": 3 + 64, "%99999999999d": 1_000_000 + 13 + 64} {
		if got := Formatted(format, Print{}); got < int64(len(format)) || got != want {
			t.Errorf("Formatted(%q) = %d, want %d", format, got, want)
		}
	}
	list := make([]int, 100)
	for format, args := range map[string][]any{
		"%1000v": {list}, "%*d": {1000, list}, "%[2]*[1]v": {list, -1000}, "%[1]s%[1]s%[1]s": {strings.Repeat("x", 1000)}, "%q": {strings.Repeat("\x00", 1000)},
	} {
		size, err := Printed(1<<20, args...)
		got, made := Formatted(format, size, args...), int64(len(fmt.Sprintf(format, args...)))
		if err != nil || got < made || got > 40*made {
			t.Errorf("Formatted(%q) = %d, and it makes %d (%v)", format, got, made, err)
		}
	}
}

// TestPrintedAsYAML: YAML folds long texts at blanks, and indents each line that comes of it.
func TestPrintedAsYAML(t *testing.T) {
	for depth, text := range map[int]string{0: strings.Repeat("a b ", 5000), 3: strings.Repeat("word ", 5000), 30: strings.Repeat("word ", 5000), 300: strings.Repeat("a ", 5000), 301: strings.Repeat("a\n", 5000)} {
		var v any = text
		for range depth {
			v = map[string]any{"a": v}
		}
		size, err := Printed(1<<30, v)
		made, yamlErr := yaml.Marshal(v)
		if err != nil || yamlErr != nil || size.Bytes < int64(len(made)) {
			t.Errorf("%d deep: %d bytes are measured, and %d made, %v", depth, size.Bytes, len(made), errors.Join(err, yamlErr))
		}
	}
}

// TestLinesOfKeysAreMeasured: a key has as many lines, and each is indented as far, as
// a text.
func TestLinesOfKeysAreMeasured(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
		text := strings.Repeat("a"+end, 1000)
		of := func(v any) int64 {
			p, err := Printed(1<<30, nested(200, v))
			if err != nil {
				t.Fatal(err)
			}
			return p.Bytes
		}
		if key, value := of(map[string]any{text: nil}), of([]any{text}); key < 1000*2*200 || value < 1000*2*200 {
			t.Errorf("%q: %d bytes as a key, %d as a value", end, key, value)
		}
	}
}
