package gitops

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is read as YAML, as JSON or is made by Go is one in the end.
func TestPlain(t *testing.T) {
	type named map[string]string
	cases := map[string]struct {
		reason string
		value  any
		want   any
	}{
		"Nothing":   {"nothing is nothing", nil, nil},
		"Text":      {"a text stays", "1", "1"},
		"Truth":     {"and so does a truth", true, true},
		"Int":       {"a number has one form", 7, int64(7)},
		"Float":     {"also a whole one with a point", 7.0, int64(7)},
		"Zero":      {"there is one zero", math.Copysign(0, -1), int64(0)},
		"Fraction":  {"another stays", 7.5, 7.5},
		"Large":     {"one that is not exact stays as it is", float64(1 << 53), float64(1 << 53)},
		"Exact":     {"the largest that is exact is a number", float64(1<<53 - 1), int64(1<<53 - 1)},
		"Infinite":  {"what has no end stays", math.Inf(1), math.Inf(1)},
		"Unsigned":  {"numbers of other types are numbers", uint8(7), int64(7)},
		"JSON":      {"and so are those of JSON", json.Number("7"), int64(7)},
		"Map":       {"null is absent in a map", map[string]any{"a": nil, "b": 1, "c": map[string]any{"d": nil}}, map[string]any{"b": int64(1), "c": map[string]any{}}},
		"List":      {"and keeps its place in a list", []any{nil, 1, map[string]any{"a": nil}}, []any{nil, int64(1), map[string]any{}}},
		"Texts":     {"lists of other types are lists", []string{"a"}, []any{"a"}},
		"Named":     {"and maps maps", named{"a": "b"}, map[string]any{"a": "b"}},
		"Struct":    {"a struct is what JSON has of it", struct{ A int }{7}, map[string]any{"A": int64(7)}},
		"Pointer":   {"a pointer to nothing is nothing", (*int)(nil), nil},
		"NoJSON":    {"what JSON does not have is nothing", func() {}, nil},
		"NoJSONMap": {"and absent", map[string]any{"a": func() {}}, map[string]any{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Plain(tc.value)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if again := Plain(got); !cmp.Equal(got, again) {
				t.Errorf("%s: again it is %v", tc.reason, again)
			}
		})
	}
}

func TestPlainMapIsACopy(t *testing.T) {
	inner := map[string]any{"b": nil}
	was := map[string]any{"a": inner, "l": []any{1}}
	got := PlainMap(was)
	got["a"].(map[string]any)["c"] = true
	got["l"].([]any)[0] = "x"
	if diff := cmp.Diff(map[string]any{"a": map[string]any{"b": nil}, "l": []any{1}}, was); diff != "" {
		t.Errorf("what was copied is changed:\n%s", diff)
	}
	if got := PlainMap(nil); got == nil || len(got) > 0 {
		t.Errorf("of no map there is %v", got)
	}
}
