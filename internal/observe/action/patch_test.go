package action

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTypesSurviveAScript: to a script a map without fields and a list without items are one, and so are whole numbers
// and others. What it did not touch must not look as if it had been.
func TestTypesSurviveAScript(t *testing.T) {
	type fields = map[string]any
	volumes := []any{fields{"name": "a", "emptyDir": fields{}}, fields{"name": "b", "items": []any{}}, fields{"name": "c", "emptyDir": fields{}}}
	cases := map[string]struct {
		reason             string
		after, before, out any
	}{
		"EmptyMap":  {"a map without fields stays one", fields{"a": []any{}}, fields{"a": fields{}}, fields{"a": fields{}}},
		"EmptyList": {"a list without items stays one", fields{"a": []any{}}, fields{"a": []any{"x"}}, fields{"a": []any{}}},
		"Emptied":   {"a map of which all fields went", fields{"a": []any{}}, fields{"a": fields{"b": "c"}}, fields{"a": fields{}}},
		"New":       {"of what is new nobody knows", fields{"a": []any{}}, fields{}, fields{"a": []any{}}},
		"Appended":  {"items before a new one", append(shown(volumes), fields{"name": "d"}), volumes, append(volumes[:3:3], fields{"name": "d"})},
		"Taken":     {"items behind one that went", shown(volumes[1:]), volumes, volumes[1:]},
		"Turned":    {"items in another order", []any{shown(volumes[2:])[0], shown(volumes[1:2])[0], shown(volumes[:1])[0]}, volumes, []any{volumes[2], volumes[1], volumes[0]}},
		"Nameless":  {"items without names keep their places", []any{[]any{}, "x"}, []any{fields{}}, []any{fields{}, "x"}},
		"OddNames":  {"a name that is none names nothing", []any{fields{"name": []any{}}}, []any{fields{"name": fields{}}}, []any{fields{"name": fields{}}}},
		"Whole":     {"whole numbers stay whole", 3.0, int64(3), int64(3)},
		"Float":     {"one that was written with a point may, too", 3.0, 3.0, int64(3)},
		"Fraction":  {"others are what they are", 2.5, int64(2), 2.5},
		"Large":     {"a number that a float cannot hold stays as it was", float64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64)},
		"Larger":    {"unless the script made another one", float64(1 << 60), int64(math.MaxInt64), float64(1 << 60)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.out, like(tc.after, tc.before)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// shown are items as a script returns them: without maps that are empty.
func shown(items []any) []any {
	var out []any
	for _, item := range items {
		less := map[string]any{}
		m, _ := item.(map[string]any)
		for key, value := range m {
			if below, ok := value.(map[string]any); ok && len(below) == 0 {
				value = []any{}
			}
			less[key] = value
		}
		out = append(out, less)
	}
	return out
}

func TestPatchesAreMergePatches(t *testing.T) {
	type fields = map[string]any
	cases := map[string]struct {
		reason              string
		before, after, want fields
	}{
		"Same":     {"nothing changed", fields{"a": fields{"b": int64(1)}}, fields{"a": fields{"b": int64(1)}}, nil},
		"Changed":  {"only what changed is in it", fields{"a": int64(1), "b": int64(1)}, fields{"a": int64(2), "b": int64(1)}, fields{"a": int64(2)}},
		"Below":    {"also far below", fields{"a": fields{"b": "c", "d": "e"}}, fields{"a": fields{"b": "x", "d": "e"}}, fields{"a": fields{"b": "x"}}},
		"Removed":  {"what went is null", fields{"a": fields{"b": "c", "d": "e"}}, fields{"a": fields{"b": "c"}}, fields{"a": fields{"d": nil}}},
		"Null":     {"null and nothing are one to a script", fields{"a": nil}, fields{}, nil},
		"List":     {"a list is written whole", fields{"a": []any{"b", "c"}}, fields{"a": []any{"b"}}, fields{"a": []any{"b"}}},
		"Replaced": {"a map in the place of a text", fields{"a": "b"}, fields{"a": fields{"c": "d"}}, fields{"a": fields{"c": "d"}}},
		"New":      {"a new field without anything in it", fields{}, fields{"a": fields{}}, fields{"a": fields{}}},
		"Nothing":  {"from nothing, as a status that is first", nil, fields{"a": "b"}, fields{"a": "b"}},
		"All":      {"to nothing", fields{"a": "b"}, nil, fields{"a": nil}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, patch(tc.before, tc.after)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
