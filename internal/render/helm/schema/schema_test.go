package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common/util"

	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/detector"
)

// TestMain is also the process that judges.
func TestMain(m *testing.M) {
	Worker()
	os.Exit(m.Run())
}

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

// TestAsHelm compares with what Helm says, here and in a worker.
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
			here, err := judge([]Part{part})
			if err != nil {
				t.Fatal(err)
			}
			there, err := ask(t.Context(), []Part{part})
			if err != nil {
				t.Fatal(err)
			}
			for place, got := range map[string]Verdict{"here": here, "in a worker": there} {
				if diff := cmp.Diff(Verdict{Failure: want}, got); diff != "" {
					t.Errorf("%s, %s: -want +got:\n%s", tc.reason, place, diff)
				}
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
			got, err := Judge(t.Context(), []Part{{Chart: "web", Schema: []byte(tc.schema), Values: values(t, tc.values)}})
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

// TestSchemasWithoutEnd are ended with the worker that judges them.
func TestSchemasWithoutEnd(t *testing.T) {
	if detector.On {
		t.Skip("the race detector takes more memory than the limit here")
	}
	_, err := Judge(t.Context(), []Part{{Chart: "web", Schema: []byte(tower(40, "anyOf")), Values: map[string]any{}}})
	if !errors.Is(err, ErrMemory) && !errors.Is(err, ErrTime) { // where the machine is slow, the time is over first
		t.Errorf("each of forty levels asks twice for the next: %v", err)
	}
	if err := ended(worker.ErrTime); !errors.Is(err, ErrTime) {
		t.Errorf("a worker that took too long is told as %v", err)
	}
}

// TestBrief is about what is judged in this process.
func TestBrief(t *testing.T) {
	fits := strings.ReplaceAll(tower(60, "allOf"), "string", "object")
	cases := map[string]struct {
		reason, schema, values string
		want                   bool
	}{
		"Plain":     {"most schemas are", `{"properties": {"a": {"type": "string", "pattern": "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"}}}`, `{"a": "x"}`, true},
		"Recursive": {"recursion ends with the values", `{"properties": {"sub": {"$ref": "#"}}}`, `{"sub": {"sub": {"sub": {}}}}`, true},
		"Low":       {"few levels do no harm", tower(6, "anyOf"), `{}`, true},
		"High":      {"many do", tower(30, "anyOf"), `{}`, false},
		"Fitting":   {"also where all fits, and no memory is taken", fits, `{}`, false},
		"Negated":   {"and where it must not", `{"not": {"$ref": "#/definitions/d0"}, ` + tower(60, "anyOf")[len(`{"$ref": "#/definitions/d0", `):], `{}`, false},
		"Itself":    {"a reference to itself has no end here", `{"$ref": "#"}`, `{}`, false},
		"Inside":    {"what values hold is rehearsed, too", `{"properties": {"a": ` + tower(30, "anyOf") + `}, "definitions"` + tower(30, "anyOf")[len(`{"$ref": "#/definitions/d0", "definitions"`):], `{"a": 1}`, false},
		"Items":     {"so are lists", `{"items": {"items": {"items": {}}}, "properties": {"a": {"$ref": "#"}}}`, `{"a": [` + strings.Repeat("[[1,1,1,1,1],[1,1,1,1,1]],", 9000) + `1]}`, false},
		"Number":    {"a number may be longer than its text", `{"properties": {"a": {"multipleOf": 1e-999999}}}`, `{"a": 1}`, false},
		"Pattern":   {"an expression may", `{"properties": {"a": {"anyOf": [` + strings.Repeat(`{"pattern": "\\pL{1000}"},`, 64) + `{}]}}}`, `{}`, false},
		"Value":     {"values can be expressions as well", `{"properties": {"a": {"format": "regex"}}}`, `{"a": "x{1000}"}`, false},
		"Matching":  {"matching takes time by the text", `{"properties": {"a": {"pattern": "(a|b|c|d|e){200}$"}}}`, `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, false},
		"Unique":    {"so does comparing", `{"properties": {"a": {"uniqueItems": true}}}`, `{"a": ["` + strings.Repeat("x", 1<<18) + `"]}`, false},
		"Anchors":   {"names are not followed here", `{"$defs": {"x": {"$anchor": "y"}}, "$ref": "#y"}`, `{}`, false},
		"Addresses": {"nor are addresses inside", `{"$defs": {"x": {"$id": "y"}}, "$ref": "#/$defs/x"}`, `{}`, false},
		"Large":     {"reading takes time by the size", `{"allOf": [` + strings.Repeat("{},", briefNodes) + `{}]}`, `{}`, false},
		"Broken":    {"what cannot be read takes none", `{`, `{}`, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := brief([]Part{{Schema: []byte(tc.schema), Values: values(t, tc.values)}}); got != tc.want {
				t.Errorf("%s: %t", tc.reason, got)
			}
		})
	}
}

// TestManyMisfits are told in a few lines.
func TestManyMisfits(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	for name, part := range map[string]Part{
		"Levels": {Schema: []byte(tower(12, "anyOf")), Values: map[string]any{}},
		"Texts":  {Schema: []byte(`{"additionalProperties": {"const": "` + long + `"}}`), Values: map[string]any{"a": 1, "b": long + "y"}},
		"Schema": {Schema: []byte(`{"allOf": [` + strings.Repeat(`{"type": 1}, `, 500) + `{}]}`), Values: map[string]any{}},
	} {
		v, err := Judge(t.Context(), []Part{part})
		if told := v.Failure + fmt.Sprint(err); len(told) > maxText+200 || len(told) < 100 {
			t.Errorf("%s: %d bytes are told", name, len(told))
		}
	}
}

// TestJudgingEndsWithItsContext: nobody waits for a worker.
func TestJudgingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := Judge(ctx, []Part{{Schema: []byte(tower(60, "anyOf")), Values: map[string]any{}}}); err == nil || ctx.Err() == nil {
		t.Errorf("it went on: %v", err)
	}
}
