package generate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNestedParametersAreLaidOver: maps are merged, all else of the later one wins, and neither is changed: others have them.
func TestNestedParametersAreLaidOver(t *testing.T) {
	texts := func(pairs ...string) map[string]string {
		out := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = pairs[i+1]
		}
		return out
	}
	for name, tc := range map[string]struct {
		reason           string
		base, over, want Params
		fails            bool
	}{
		"Deep":   {"maps are merged as deep as they go", Params{"a": map[string]any{"b": map[string]any{"c": 1, "d": 2}}}, Params{"a": map[string]any{"b": map[string]any{"d": 3}}}, Params{"a": map[string]any{"b": map[string]any{"c": 1, "d": 3}}}, false},
		"Null":   {"null takes a value away", Params{"a": "x"}, Params{"a": nil}, Params{"a": nil}, false},
		"Empty":  {"so does an empty text", Params{"a": "x"}, Params{"a": ""}, Params{"a": ""}, false},
		"Scalar": {"what is no map takes the place of one", Params{"a": map[string]any{"b": 1}}, Params{"a": "x"}, Params{"a": "x"}, false},
		"Map":    {"and the other way round", Params{"a": "x"}, Params{"a": map[string]any{"b": 1}}, Params{"a": map[string]any{"b": 1}}, false},
		"List":   {"lists are values", Params{"a": []any{1, 2}}, Params{"a": []any{3}}, Params{"a": []any{3}}, false},
		"Labels": {"labels of a cluster stay texts", Params{"a": texts("x", "1", "y", "2")}, Params{"a": texts("y", "3")}, Params{"a": texts("x", "1", "y", "3")}, false},
		"Same":   {"what they have already is not made again", Params{"a": texts("x", "1", "y", "2")}, Params{"a": texts("y", "2")}, Params{"a": texts("x", "1", "y", "2")}, false},
		"Typed":  {"texts take no values of other types", Params{"a": texts("x", "1")}, Params{"a": map[string]any{"x": 2}}, nil, true},
		"None":   {"none are no values", Params{"a": texts("x", "1")}, Params{"a": map[string]any{}}, Params{"a": texts("x", "1")}, false},
		"Into":   {"texts go into a map of values", Params{"a": map[string]any{"x": 1}}, Params{"a": texts("y", "2")}, Params{"a": map[string]any{"x": 1, "y": "2"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			base, over := fmt.Sprint(tc.base), fmt.Sprint(tc.over)
			got, made, err := overwriteNested(tc.base, tc.over)
			if (err != nil) != tc.fails || err != nil && !strings.Contains(err.Error(), `parameter "a"`) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); !tc.fails && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if fmt.Sprint(tc.base) != base || fmt.Sprint(tc.over) != over {
				t.Errorf("%s: what was given is %v and %v now", tc.reason, tc.base, tc.over)
			}
			if err == nil && made == 0 {
				t.Errorf("%s: the memory of the result is not counted", tc.reason)
			}
		})
	}
}

// TestParametersWithTwoValues: in the fast mode all is text, and texts that differ are an error, the same one each time.
func TestParametersWithTwoValues(t *testing.T) {
	got, err := combineTexts(Params{"a": 1, "b": "x"}, Params{"a": "1", "c": true})
	if diff := cmp.Diff(Params{"a": "1", "b": "x", "c": "true"}, got); err != nil || diff != "" {
		t.Errorf("values of one text: %v (-want +got):\n%s", err, diff)
	}
	one, other := Params{"same": "x"}, Params{"same": "x"}
	for i := range 50 {
		one[fmt.Sprint("key-", i)], other[fmt.Sprint("key-", i)] = "a", "b"
	}
	var first string
	for range 20 {
		_, err := combineTexts(one, other)
		if err == nil || strings.Contains(err.Error(), "same") {
			t.Fatalf("two values: %v", err)
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first {
			t.Fatalf("it says %q, and another time %q", first, err)
		}
	}
	if _, found := conflicting(Params{"a": 1}, Params{"b": 2}); found {
		t.Error("different keys have two values")
	}
}
