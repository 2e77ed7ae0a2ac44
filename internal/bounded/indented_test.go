package bounded

import (
	"strings"
	"testing"
)

// nested is a value inside so many maps.
func nested(v any, levels int) any {
	for range levels {
		v = map[string]any{"a": v}
	}
	return v
}

func TestIndented(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   bool
	}{
		"Plain":   {"an ordinary object", nested([]any{"a", map[string]any{"b": int64(1)}}, 12), false},
		"Text":    {"a text of its own is not deep", strings.Repeat("a\n", 400_000), false},
		"Edge":    {"as deep as may be", nested("a", 60), false},
		"Deep":    {"deeper than people write", nested("a", 62), true},
		"Lists":   {"lists are levels, too", nested([]any{[]any{[]any{}}}, 59), true},
		"Many":    {"each item is indented", nested(make([]any, 40_000), 55), true},
		"Flat":    {"many items that are not deep", make([]any, 400_000), false},
		"Folding": {"each line of a text is indented", nested(strings.Repeat("a\n", 50_000), 50), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Indented(tc.value); got != tc.want {
				t.Errorf("%s: %v", tc.reason, got)
			}
		})
	}
}
