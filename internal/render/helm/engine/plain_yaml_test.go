package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// FuzzPlainYAML writes what JSON can say with and without the detour.
func FuzzPlainYAML(f *testing.F) {
	for _, text := range []string{
		`{"a": 1, "b": [1.5, 1e3, -0, 0.1, 1e21, 1e-7, 123456789012345678, 1e15, 0.30000000000000004]}`,
		`{"y": "on", "1": "1", "": "", "<<": {}, "~": null, "a b": "x: y", "-": "- x", "é": "ü\n"}`,
		`["a\nb\n", " x ", "x\n\ny", "\u0000", "\u007f", "\u0085", "\u2028", "\ufeff", "\ud83d\ude00", "#", "0x1", "1_000", "2020-01-01", "null", "true", "!!x", "&a", "*a", "%", "@", "` + strings.Repeat("long ", 60) + `"]`,
		`{"` + strings.Repeat("k", 200) + `": {}}`, `[[], {}, null, [[[]]], {"a": {}}]`, `"text"`, `1`, `null`, `{"a": "b\tc\r"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		want, err := yaml.Marshal(v)
		if err != nil {
			want = nil
		}
		if got := toYAML(v); got != strings.TrimSuffix(string(want), "\n") {
			t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
		}
	})
}
