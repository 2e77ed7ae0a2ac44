package forecast

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// Keys and texts that have a meaning for YAML alone are quoted, wherever they stand: a reader would
// put what is below "<<" into the object around it, or refuse the whole. Nothing else changes.
func TestTextsThatYAMLHasAMeaningForAreQuoted(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		value  any
		want   string
	}{
		"Key":     {"what is below it is not merged", map[string]any{"<<": map[string]any{"a": "b"}, "c": 1}, "\"<<\":\n  a: b\nc: 1\n"},
		"Refused": {"a text cannot be merged, and readers say so", map[string]any{"<<": "x", "=": "y"}, "\"<<\": x\n\"=\": \"y\"\n"},
		"Values":  {"some readers refuse such a text", map[string]any{"a": "<<", "b": "="}, "a: \"<<\"\nb: \"=\"\n"},
		"List":    {"each of them", []any{"<<", "<<", "=", []any{"="}}, "- \"<<\"\n- \"<<\"\n- \"=\"\n- - \"=\"\n"},
		"Alone":   {"a text is a document, too", "<<", "\"<<\"\n"},
		"Part":    {"within a text it is nothing", []any{"<< a", "a=", "==", "<", "a,\"<<\""}, "- << a\n- a=\n- ==\n- <\n- a,\"<<\"\n"},
		"Lines":   {"nor on a line of one", map[string]any{"a": "x\n<<: y\n=\n"}, "a: |\n  x\n  <<: y\n  =\n"},
		"Marks":   {"a text that ends like what is used to have them quoted", []any{"<<", "<<\x01", "\"<<\\x01\"", "=\x01\x01"}, "- \"<<\"\n- \"<<\\x01\"\n- '\"<<\\x01\"'\n- \"=\\x01\\x01\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := YAML(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(out)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			var back any
			if err := yaml.Unmarshal(out, &back); err != nil || !cmp.Equal(asRead(tc.value), back) {
				t.Errorf("%s: it comes back as %v: %v", tc.reason, back, err)
			}
		})
	}
}

// asRead has the numbers of a value as readers of JSON have them.
func asRead(v any) any {
	fields, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, value := range fields {
		if n, ok := value.(int); ok {
			value = float64(n)
		}
		out[key] = value
	}
	return out
}
