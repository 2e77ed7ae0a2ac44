package bounded

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// nested has a value so many maps deep.
func nested(levels int, value any) any {
	for range levels {
		value = map[string]any{"a": value}
	}
	return value
}

// TestIndented holds what is told of values against what they are as YAML.
func TestIndented(t *testing.T) {
	several := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = map[string]any{"b": "c", "d": int64(1)}
		}
		return out
	}
	for name, tc := range map[string]struct {
		reason string
		value  any
		want   bool
	}{
		"Usual": {"a list of containers", nested(6, several(1000)), false},
		"Small": {"little of it, however deep", nested(60, several(10)), false},
		"Texts": {"descriptions in a definition of resources", nested(25, strings.Repeat("some words of a text ", 5000)), false},
		"Items": {"many items far in", nested(400, several(1000)), true},
		"Lines": {"a text of many lines far in", nested(400, strings.Repeat("a\n", 10_000)), true},
		"Ends":  {"a text of many lines by another sign far in", nested(400, strings.Repeat("a\u2028", 10_000)), true},
		"Words": {"a text of many words far in, each of which has a line", nested(400, strings.Repeat("a ", 10_000)), true},
		"Deep":  {"maps inside one another alone", nested(1000, nil), true},
		"None":  {"nothing", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Indented(nil, tc.value); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
			text, err := yaml.Marshal(tc.value)
			if content := len(strings.ReplaceAll(string(text), " ", "")); err != nil || !tc.want && len(text) > 16<<10+16*content {
				t.Errorf("%s: %d bytes of which %d are no blanks: %v", tc.reason, len(text), content, err)
			}
		})
	}
}
