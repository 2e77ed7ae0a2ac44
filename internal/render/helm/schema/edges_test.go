package schema

import (
	"strings"
	"testing"
)

// Schemas of strangers: what is odd in one is an error or a failure, and never the end of the render.
func TestOddSchemas(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, schema string
		values         any
		fails, says    string // an error, or a failure; both empty where it fits
	}{
		"Mark":       {"a byte order mark is no JSON", "\ufeff{}", map[string]any{}, "it is no JSON", ""},
		"Behind":     {"nor is what follows one", "{} {}", map[string]any{}, "it is no JSON", ""},
		"Null":       {"null is no schema", "null", map[string]any{}, "the schema of chart web", ""},
		"List":       {"nor is a list", "[]", map[string]any{}, "the schema of chart web", ""},
		"Pattern":    {"an expression that cannot be read", `{"properties": {"a": {"pattern": "("}}}`, map[string]any{"a": "x"}, "the schema of chart web", ""},
		"Address":    {"an address that is none", `{"$ref": "http://[::1"}`, map[string]any{}, "the schema of chart web", ""},
		"Id":         {"also as its own", `{"$id": "http://[::1", "type": "object"}`, map[string]any{}, "the schema of chart web", ""},
		"Id of type": {"an id that is no text is a mistake", `{"$id": 1}`, map[string]any{}, "the schema of chart web", ""},
		"Values":     {"values of a type that YAML does not give", `{"properties": {"a": {"type": "string"}}}`, map[string]any{"a": make(chan int)}, "", "at '/a': invalid jsonType chan int"},
		"No map":     {"values that are another map", `{}`, map[string]string{"a": "b"}, "", "got map[string]string"},
		"No value":   {"nil maps are objects", `{"required": ["a"]}`, map[string]any(nil), "", "missing property 'a'"},
		"Unicode":    {"lengths are of letters", `{"properties": {"a": {"maxLength": 2}}}`, map[string]any{"a": "äö"}, "", ""},
		"Unknown":    {"keywords that nobody knows say nothing", `{"x-causeway": {"$ref": 1}}`, map[string]any{}, "", ""},
		"Deep":       {"definitions may lie deep", strings.Repeat(`{"type": "object", "properties": {"a": `, 50) + `{"type": "null"}` + strings.Repeat(`}}`, 50), map[string]any{"a": map[string]any{"a": 1.0}}, "", "at '/a/a': got number, want object"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Judge([]Part{{Chart: "web", Schema: []byte(tc.schema), Values: tc.values}})
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) || (got.Failure != "") != (tc.says != "") || !strings.Contains(got.Failure, tc.says) {
				t.Errorf("%s: %+v, %v", tc.reason, got, err)
			}
		})
	}
}
