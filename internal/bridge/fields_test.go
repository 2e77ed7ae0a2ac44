package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFieldsThatDiffer(t *testing.T) {
	data := func(text string) map[string]any { return map[string]any{"data": map[string]any{"f": text}} }
	list := func(items ...any) map[string]any { return map[string]any{"l": items} }
	cases := map[string]struct {
		reason string
		a, b   map[string]any
		want   []FieldChange
	}{
		"Same":        {"nothing differs", list("a", int64(1)), list("a", int64(1)), nil},
		"Gone":        {"what is not there is nil", map[string]any{"a": "x"}, map[string]any{}, []FieldChange{{"a", "x", nil}}},
		"Null":        {"null is as good as nothing", map[string]any{"a": nil}, map[string]any{}, nil},
		"Order":       {"fields are in order", map[string]any{"b": "1", "a": "1"}, map[string]any{"b": "2", "a": "2"}, []FieldChange{{"a", "1", "2"}, {"b", "1", "2"}}},
		"Place":       {"lists of one length are compared by places", list("a", "b"), list("a", "c"), []FieldChange{{"l[1]", "b", "c"}}},
		"Length":      {"of others no place is the same", list("a"), list("a", "b"), []FieldChange{{"l", []any{"a"}, []any{"a", "b"}}}},
		"Kind":        {"a list in place of a text", map[string]any{"l": "a"}, list("a"), []FieldChange{{"l", "a", []any{"a"}}}},
		"Quoted":      {"a key with dots is quoted", map[string]any{"a.b": map[string]any{"c": "1"}}, map[string]any{"a.b": map[string]any{"c": "2"}}, []FieldChange{{`["a.b"].c`, "1", "2"}}},
		"YAML":        {"the value within a text is named", data("a: 1\nb:\n  c: x\n"), data("a: 1\nb:\n  c: w\n"), []FieldChange{{"data.f → b.c", "x", "w"}}},
		"YAMLQuoted":  {"a key with a slash and a dot", data("a.b/c: 1\nd: 2\n"), data("a.b/c: 2\nd: 2\n"), []FieldChange{{`data.f →["a.b/c"]`, float64(1), float64(2)}}},
		"Comment":     {"texts differ whose YAML means the same", data("# of prod\na: 1\n"), data("# of dev\na: 1\n"), []FieldChange{{"data.f", "# of prod\na: 1\n", "# of dev\na: 1\n"}}},
		"OneLine":     {"a text of one line is a text", data("a: 1"), data("a: 2"), []FieldChange{{"data.f", "a: 1", "a: 2"}}},
		"NoMap":       {"lists and broken texts are told as a whole", data("- a: 1\n"), data("- a: 2\n"), []FieldChange{{"data.f", "- a: 1\n", "- a: 2\n"}}},
		"OneOfTheTwo": {"a text that is no longer YAML", data("a: 1\nb: 2\n"), data("a: [\n"), []FieldChange{{"data.f", "a: 1\nb: 2\n", "a: [\n"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, differences(tc.a, tc.b)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// What decides is listed though others fill the list before it, each once.
func TestQuestionsAreAnsweredBehindTheList(t *testing.T) {
	tree := func(value string) map[string]any {
		out := map[string]any{"z": value, "zz": value, "same": "x"}
		for i := range mostFields {
			out["a"+string(rune('!'+i))] = value
		}
		return out
	}
	asks := func(path string) func(string) bool { return func(at string) bool { return at == path } }
	cases := map[string]struct {
		reason    string
		questions []func(string) bool
		want      []string
	}{
		"None":    {"the list ends", nil, nil},
		"Two":     {"each gets its answer", []func(string) bool{asks("zz"), asks("z")}, []string{"z", "zz"}},
		"Listed":  {"what is listed already is not repeated", []func(string) bool{asks("a!")}, nil},
		"Same":    {"what does not differ answers nothing", []func(string) bool{asks("same")}, nil},
		"OneBoth": {"one field may answer several questions", []func(string) bool{asks("z"), asks("z")}, []string{"z"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range differencesWith(tree("1"), tree("2"), tc.questions...)[mostFields:] {
				got = append(got, f.Path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
