package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common/util"
)

func values(t *testing.T, text string) map[string]any {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	var out map[string]any
	if err := in.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAsHelm compares with what Helm says.
func TestAsHelm(t *testing.T) {
	cases := map[string]struct{ reason, schema, values string }{
		"Fits":       {"what fits is no failure", `{"properties": {"a": {"type": "string"}}}`, `{"a": "x"}`},
		"Type":       {"another type is one", `{"properties": {"a": {"type": "string"}}}`, `{"a": 1}`},
		"Several":    {"all are told", `{"required": ["b", "c"], "properties": {"a": {"type": "string", "minLength": 3}}, "maxProperties": 0}`, `{"a": "x"}`},
		"Reference":  {"definitions hold", `{"definitions": {"x": {"enum": ["y"]}}, "properties": {"a": {"$ref": "#/definitions/x"}}}`, `{"a": "x"}`},
		"Escaped":    {"pointers are escaped", `{"$defs": {"a/b~c d": {"type": "object"}}, "properties": {"a": {"$ref": "#/$defs/a~1b~0c%20d"}}}`, `{"a": "x"}`},
		"Siblings":   {"in old drafts a reference stands alone", `{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": {}}, "properties": {"a": {"$ref": "#/definitions/x", "type": "object"}}}`, `{"a": "x"}`},
		"Recursive":  {"schemas may be recursive", `{"properties": {"sub": {"$ref": "#"}, "a": {"type": "string"}}}`, `{"sub": {"sub": {"a": 1}}}`},
		"Meta":       {"the schema of schemas is there offline", `{"properties": {"a": {"$ref": "http://json-schema.org/draft-07/schema#"}}}`, `{"a": {"type": 1}}`},
		"Newer":      {"so is that of the draft in use", `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"x": {"$anchor": "y", "type": "string"}}, "properties": {"a": {"$ref": "#y"}}}`, `{"a": 1}`},
		"Identified": {"a schema may have an address", `{"$id": "https://example.com/values.json", "definitions": {"x": {"type": "string"}}, "properties": {"a": {"$ref": "https://example.com/values.json#/definitions/x"}, "b": {"$ref": "values.json#/definitions/x"}}}`, `{"a": 1, "b": "x"}`},
		"Choice":     {"choices tell each way", `{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}}`, `{"a": [1]}`},
		"Number":     {"numbers are exact", `{"properties": {"a": {"multipleOf": 0.1, "maximum": 9007199254740993}}}`, `{"a": 9007199254740994}`},
		"Names":      {"names count", `{"propertyNames": {"pattern": "^[a-z]{1,3}$"}, "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false}`, `{"xlong": 1, "b": null}`},
		"Itself":     {"a reference to itself is a failure", `{"$ref": "#"}`, `{"a": 1}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			part := Part{Chart: "web", Schema: []byte(tc.schema), Values: values(t, tc.values)}
			want := ""
			if err := util.ValidateAgainstSingleSchema(values(t, tc.values), part.Schema); err != nil {
				want = "web:\n" + err.Error()
			}
			got, err := Judge([]Part{part})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Verdict{Failure: want}, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestElsewhere is about schemas that refer to others.
func TestElsewhere(t *testing.T) {
	const there = "https://example.com/k8s/_definitions.json"
	cases := map[string]struct {
		reason, schema, values string
		want                   Verdict
	}{
		"Address":  {"what is elsewhere is not read, and the rest is checked", `{"properties": {"a": {"$ref": "` + there + `#/definitions/io.k8s.Affinity"}, "b": {"type": "string"}}}`, `{"a": 1, "b": 2}`, Verdict{"web:\n- at '/b': got number, want string\n", []string{there}}},
		"Relative": {"it may be relative to the schema's own address", `{"$id": "https://example.com/k8s/web.json", "properties": {"a": {"$ref": "_definitions.json#/x"}}}`, `{"a": 1}`, Verdict{Elsewhere: []string{there}}},
		"Sibling":  {"what stands beside it counts as much as with Helm", `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "` + there + `", "type": "string"}}}`, `{"a": 1}`, Verdict{Elsewhere: []string{there}}},
		"Dialect":  {"a dialect of its own is not read", `{"$schema": "` + there + `", "properties": {"b": {"type": "string"}}}`, `{"b": 2}`, Verdict{"web:\n- at '/b': got number, want string\n", []string{there}}},
		"Dynamic":  {"in whatever way it is named", `{"$dynamicRef": "` + there + `"}`, `{}`, Verdict{Elsewhere: []string{there}}},
		"Name":     {"names are no addresses", `{"$ref": "urn:x:y"}`, `{}`, Verdict{Elsewhere: []string{"urn:x:y"}}},
		"Text":     {"a constant is no reference", `{"const": {"$ref": "` + there + `"}}`, `{"$ref": "` + there + `"}`, Verdict{}},
		"Property": {"a property may have that name", `{"properties": {"$ref": {"type": "string"}}}`, `{"$ref": "x"}`, Verdict{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Judge([]Part{{Chart: "web", Schema: []byte(tc.schema), Values: values(t, tc.values)}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// tower is a schema of so many levels, each of which asks twice for the next.
func tower(levels int, keyword string) string {
	var b strings.Builder
	b.WriteString(`{"$ref": "#/definitions/d0", "definitions": {`)
	for i := range levels {
		fmt.Fprintf(&b, `"d%d": {%q: [{"allOf": [{"$ref": "#/definitions/d%d"}]}, {"allOf": [{"$ref": "#/definitions/d%d"}]}]}, `, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d": {"type": "string"}}}`, levels)
	return b.String()
}

// TestManyMisfits are told in a few lines.
func TestManyMisfits(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	for name, part := range map[string]Part{
		"Levels": {Schema: []byte(tower(12, "anyOf")), Values: map[string]any{}},
		"Texts":  {Schema: []byte(`{"additionalProperties": {"const": "` + long + `"}}`), Values: map[string]any{"a": 1, "b": long + "y"}},
		"Schema": {Schema: []byte(`{"allOf": [` + strings.Repeat(`{"type": 1}, `, 500) + `{}]}`), Values: map[string]any{}},
	} {
		v, err := Judge([]Part{part})
		if told := v.Failure + fmt.Sprint(err); len(told) > maxText+200 || len(told) < 100 {
			t.Errorf("%s: %d bytes are told", name, len(told))
		}
	}
}
