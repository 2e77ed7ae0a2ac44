package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPropertiesWithNamesOfKeywords: a property may be called as a keyword is whose
// value is no schema, and what it refers to is not read all the same.
func TestPropertiesWithNamesOfKeywords(t *testing.T) {
	const there = "https://example.com/definitions.json"
	for _, keyword := range []string{"properties", "patternProperties", "definitions", "$defs", "dependentSchemas"} {
		for name := range isText {
			text := `{"` + keyword + `": {"` + name + `": {"$ref": "` + there + `#/definitions/x"}}, "required": ["b"]}`
			got, err := Judge([]Part{{Chart: "web", Schema: []byte(text), Values: map[string]any{name: 1.5}}})
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if d := cmp.Diff([]string{there}, got.Elsewhere); d != "" || !strings.Contains(got.Failure, "missing property 'b'") {
				t.Errorf("%s: %s%s", text, got.Failure, d)
			}
		}
	}
	const text = `{"properties": {"properties": {"default": {"$ref": "` + there + `#/x"}, "type": "object"}}}`
	if got, err := Judge([]Part{{Chart: "web", Schema: []byte(text), Values: map[string]any{"properties": map[string]any{}}}}); err != nil || got.Failure != "" || len(got.Elsewhere) > 0 {
		t.Errorf("a default of a property that is called properties is a text: %+v, %v", got, err)
	}
}

// TestManyCharts: each is judged by its own schema, and told by its name.
func TestManyCharts(t *testing.T) {
	needs := func(name string) []byte { return []byte(`{"required": ["` + name + `"]}`) }
	at := func(address string) []byte { return []byte(`{"$ref": "https://example.com/` + address + `"}`) }
	empty := map[string]any{}
	for name, tc := range map[string]struct {
		reason string
		parts  []Part
		want   Verdict
		fails  string
	}{
		"None":      {"no chart", nil, Verdict{}, ""},
		"NoSchema":  {"a chart without a schema takes anything", []Part{{Chart: "a", Values: empty}}, Verdict{}, ""},
		"NoObject":  {"but what is no object", []Part{{Chart: "a", Values: []any{1}}}, Verdict{Failure: "a:\ninvalid type for values: expected object (map), got []interface {}\n"}, ""},
		"NoValues":  {"or nothing", []Part{{Chart: "a"}}, Verdict{Failure: "a:\ninvalid type for values: expected object (map), got <nil>\n"}, ""},
		"Both":      {"all that fail are told", []Part{{"a", needs("x"), empty}, {"b", needs("y"), empty}, {"c", needs("z"), map[string]any{"z": 1}}}, Verdict{Failure: "a:\n- at '': missing property 'x'\nb:\n- at '': missing property 'y'\n"}, ""},
		"Addresses": {"addresses are told once, in order", []Part{{"a", at("2"), empty}, {"b", at("1"), empty}, {"c", at("2"), empty}}, Verdict{Elsewhere: []string{"https://example.com/1", "https://example.com/2"}}, ""},
		"NoJSON":    {"a schema that is none is of its chart", []Part{{"a", needs("x"), empty}, {"b", []byte("{"), empty}}, Verdict{}, "the schema of chart b: it is no JSON"},
		"Empty":     {"so is an empty file", []Part{{"a", []byte(""), empty}}, Verdict{}, "the schema of chart a: it is no JSON"},
		"Never":     {"a schema may be one that nothing fits", []Part{{"a", []byte("false"), empty}}, Verdict{Failure: "a:\n- at '': false schema\n"}, ""},
		"Wrong":     {"or JSON that is no schema", []Part{{"a", []byte(`{"type": 1}`), empty}}, Verdict{}, "the schema of chart a: it is no valid JSON Schema:\n- at ''"},
		"Text":      {"as is a text", []Part{{"a", []byte(`"x"`), empty}}, Verdict{}, "the schema of chart a: "},
		"Missing":   {"what it refers to must be in it", []Part{{"a", []byte(`{"$ref": "#/definitions/none"}`), empty}}, Verdict{}, "the schema of chart a: "},
		"File":      {"files are not read", []Part{{"a", []byte(`{"$ref": "file:///etc/hostname"}`), empty}}, Verdict{}, "is no part of it, and nothing else is read"},
		"Beside":    {"nor is what lies beside it", []Part{{"a", []byte(`{"$ref": "other.json"}`), empty}}, Verdict{}, "is no part of it, and nothing else is read"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Judge(tc.parts)
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s:\n%s", tc.reason, d)
			}
		})
	}
}

// TestOwnAddresses of a schema's parts are no others, wherever they stand.
func TestOwnAddresses(t *testing.T) {
	const base = `"$id": "https://example.com/a/web.json"`
	for name, tc := range map[string]struct{ reason, schema, failure string }{
		"Part":     {"a part with an address of its own", `{` + base + `, "$defs": {"x": {"$id": "https://example.com/x.json", "type": "string"}}, "properties": {"a": {"$ref": "https://example.com/x.json"}}}`, "got number, want string"},
		"Relative": {"which may be relative", `{` + base + `, "$defs": {"x": {"$id": "x.json", "type": "string"}}, "properties": {"a": {"$ref": "x.json"}}}`, "got number, want string"},
		"Old":      {"as old drafts have it", `{"$schema": "http://json-schema.org/draft-04/schema#", "id": "https://example.com/a/web.json", "definitions": {"x": {"id": "x.json", "type": "string"}}, "properties": {"a": {"$ref": "x.json"}}}`, "got number, want string"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Judge([]Part{{Chart: "web", Schema: []byte(tc.schema), Values: map[string]any{"a": 1.5}}})
			if err != nil || len(got.Elsewhere) > 0 || !strings.Contains(got.Failure, tc.failure) {
				t.Errorf("%s: %+v, %v", tc.reason, got, err)
			}
		})
	}
}
