package template

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWholeParts has what sprig takes for 0, and External Secrets does not.
func TestWholeParts(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		in, want any
	}{
		"fraction":  {"the whole part of a text counts", "3.7", "3"},
		"signed":    {"with its sign", "-3.7", "-3"},
		"plus":      {"also a plus", "+3.7", "+3"},
		"no whole":  {"nothing before the dot is 0", ".7", "0"},
		"sign only": {"so is a sign", "-.7", "0"},
		"no part":   {"nothing behind the dot", "3.", "3"},
		"dot":       {"a dot is 0", ".", "0"},
		"whole":     {"a whole number stays", "3", "3"},
		"words":     {"words stay", "a.b", "a.b"},
		"version":   {"versions stay", "1.2.3", "1.2.3"},
		"exponent":  {"exponents stay", "1.5e3", "1.5e3"},
		"number":    {"numbers stay", 3.7, 3.7},
		"nothing":   {"nothing stays", nil, nil},
		"large":     {"digits are not counted", "99999999999999999999.5", "99999999999999999999"},
	} {
		if got := wholePart(tc.in); got != tc.want {
			t.Errorf("%s: %s: got %v, want %v", name, tc.reason, got, tc.want)
		}
	}
	if diff := cmp.Diff([]any{"1", 2, "x"}, wholeParts([]any{"1.5", 2, "x"})); diff != "" {
		t.Error(diff)
	}
	same := func(string) string { return "" }
	if _, ok := ofWholeParts(same).(func(string) string); !ok {
		t.Error("a function of texts became another one")
	}
}

// TestPut has values that are put where there is nothing yet, and where there is something else.
func TestPut(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, path string
		object, want map[string]any
		err          string
	}{
		"empty":       {"into nothing", "a.b", map[string]any{}, map[string]any{"a": map[string]any{"b": "v"}}, ""},
		"beside":      {"beside what is there", "a.b", map[string]any{"a": map[string]any{"c": 1}}, map[string]any{"a": map[string]any{"b": "v", "c": 1}}, ""},
		"replaced":    {"in place of what is there", "a", map[string]any{"a": []any{1}}, map[string]any{"a": "v"}, ""},
		"null":        {"in place of null", "a.b", map[string]any{"a": nil}, map[string]any{"a": map[string]any{"b": "v"}}, ""},
		"new list":    {"into a list that there is not", "a[1]", map[string]any{}, map[string]any{"a": []any{nil, "v"}}, ""},
		"lists":       {"into a list in a list", "a[0][1]", map[string]any{}, map[string]any{"a": []any{[]any{nil, "v"}}}, ""},
		"in a list":   {"into an item", "a[0].b", map[string]any{"a": []any{map[string]any{"c": 1}, 2}}, map[string]any{"a": []any{map[string]any{"b": "v", "c": 1}, 2}}, ""},
		"into text":   {"not into a text", "a.b", map[string]any{"a": "hunter22"}, nil, "expected map at key"},
		"text item":   {"nor as its item", "a[0]", map[string]any{"a": "hunter22"}, nil, "expected list at index 0"},
		"list field":  {"nor as a field of a list", "a.b", map[string]any{"a": []any{}}, nil, "expected map at key"},
		"number deep": {"nor into a number", "a[0].b", map[string]any{"a": []any{1}}, nil, "expected map at key"},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := stepsOf(tc.path)
			if err != nil {
				t.Fatal(err)
			}
			err = put(tc.object, steps, "v")
			refused(t, tc.reason, err, tc.err)
			if diff := cmp.Diff(tc.want, tc.object); err == nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestYAMLOfTemplates has what becomes of values as YAML.
func TestYAMLOfTemplates(t *testing.T) {
	for text, want := range map[string]string{
		`{{ toYaml nil }}`: "null", `{{ toYaml "a: b" }}`: `'a: b'`, `{{ dict "b" 1 "a" "x" | toYaml }}`: "a: x\nb: 1", `{{ list | toYaml }}`: "[]",
		`{{ (fromYaml "a: {b: c}").a.b }}`: "c", `{{ fromYaml "" | len }}`: "0", `{{ (fromYaml "- a") | keys | join "," }}`: "Error",
	} {
		if got, err := render("key", text, nil); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
	if got := toYaml(func() {}); got != "" {
		t.Errorf("what is no YAML: %q", got)
	}
}
