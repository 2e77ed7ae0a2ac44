package treediff

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// byPlace compares items by their places, and ends after some leaves.
type byPlace struct {
	found []string
	most  int
}

func (*byPlace) Whole(p string) bool { return strings.HasSuffix(p, ".whole") }

func (*byPlace) Field(p, key string, _, _ map[string]any) string { return p + "." + key }

func (*byPlace) Items(p string, a, b []any) ([]Pair[string], bool) {
	if len(a) != len(b) {
		return nil, false
	}
	out := make([]Pair[string], len(a))
	for i := range a {
		out[i] = Pair[string]{fmt.Sprintf("%s[%d]", p, i), a[i], b[i]}
	}
	return out, true
}

func (r *byPlace) Leaf(p string, a, b any) bool {
	if !reflect.DeepEqual(a, b) {
		r.found = append(r.found, fmt.Sprintf("%s: %v → %v", p, a, b))
	}
	return len(r.found) < r.most
}

func TestWalk(t *testing.T) {
	m := func(pairs ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1]
		}
		return out
	}
	for name, tc := range map[string]struct {
		reason string
		a, b   any
		most   int
		want   []string
	}{
		"Same":     {"nothing differs", m("a", []any{m("b", "c")}), m("a", []any{m("b", "c")}), 9, nil},
		"Keys":     {"of either side, sorted", m("b", "1", "a", m("x", "y")), m("c", "2", "a", m("x", "z")), 9, []string{".a.x: y → z", ".b: 1 → <nil>", ".c: <nil> → 2"}},
		"Null":     {"a key without a value is none", m("a", nil), m(), 9, nil},
		"Items":    {"one by one", m("a", []any{"x", m("k", "v")}), m("a", []any{"x", m("k", "w")}), 9, []string{".a[1].k: v → w"}},
		"Whole":    {"where they do not belong together", m("a", []any{"x"}), m("a", []any{"x", "y"}), 9, []string{".a: [x] → [x y]"}},
		"Place":    {"or where the place says so", m("whole", m("a", "b")), m("whole", m("a", "c")), 9, []string{".whole: map[a:b] → map[a:c]"}},
		"Forms":    {"a map is no list", m("a", m("b", "c")), m("a", []any{"b"}), 9, []string{".a: map[b:c] → [b]"}},
		"Enough":   {"a leaf ends it", m("a", "1", "b", []any{"1"}, "c", "1"), m("a", "2", "b", []any{"2"}, "c", "2"), 2, []string{".a: 1 → 2", ".b[0]: 1 → 2"}},
		"OneSide":  {"what comes is one leaf", nil, m("a", "b"), 9, []string{": <nil> → map[a:b]"}},
		"NoEither": {"nothing is no difference", nil, nil, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &byPlace{most: tc.most}
			Walk(r, "", tc.a, tc.b)
			if diff := cmp.Diff(tc.want, r.found); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
