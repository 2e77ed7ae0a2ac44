package object

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// narrowed are the risks of a definition whose field a has one schema and then another.
func narrowed(t *testing.T, before, after string) []string {
	t.Helper()
	got := Compare(manifests(t, definition("Namespaced", before)), manifests(t, definition("Namespaced", after)), Options{})
	var out []string
	for _, r := range got.Risks {
		if r.Kind != forecast.RiskCRDChanged || r.Object != "CustomResourceDefinition ws.e.com" {
			t.Errorf("a risk of another kind: %+v", r)
		}
		out = append(out, strings.TrimPrefix(r.Message, "v1: spec."))
	}
	return out
}

func TestSchemasThatBecomeNarrower(t *testing.T) {
	cases := map[string]struct {
		reason, before, after string
		want                  []string
	}{
		"Typed":        {"any type before", "a: {}", "a: {type: string}", []string{"a becomes string, was of any type"}},
		"Untyped":      {"any type afterwards is wider", "a: {type: string}", "a: {}", nil},
		"EnumComes":    {"all values before", "a: {type: string}", "a: {type: string, enum: [x]}", []string{"a allows fewer values"}},
		"EnumGoes":     {"all values afterwards", "a: {enum: [x]}", "a: {}", nil},
		"EnumMany":     {"the first of many are named", "a: {enum: [1, 2, 3, 4, 5, 6, 7, 8]}", "a: {enum: [8]}", []string{"a allows fewer values 1, 2, 3, 4, 5 and 2 more"}},
		"EnumTypes":    {"a number is no text", "a: {enum: [1]}", "a: {enum: ['1']}", []string{"a allows fewer values 1"}},
		"Required":     {"fields that objects need not have had", "a: {required: [x]}", "a: {required: [z, x, w]}", []string{"a now requires z, w"}},
		"RequiredLess": {"fewer are wider", "a: {required: [x, z]}", "a: {required: [x]}", nil},
		"Pattern":      {"another pattern", "a: {pattern: '^a'}", "a: {pattern: '^b'}", []string{"a must match another pattern: ^b"}},
		"PatternGoes":  {"no pattern", "a: {pattern: '^a'}", "a: {}", nil},
		"Format":       {"a format", "a: {type: string}", "a: {type: string, format: date}", []string{"a must match another format: date"}},
		"Rule":         {"a rule more", "a: {x-kubernetes-validations: [{rule: 'self > 1'}]}", "a: {x-kubernetes-validations: [{rule: 'self > 1'}, {rule: 'self > 2'}]}", []string{"a has a new validation rule"}},
		"RuleGoes":     {"a rule less", "a: {x-kubernetes-validations: [{rule: 'self > 1'}]}", "a: {}", nil},
		"Null":         {"null was a value", "a: {nullable: true}", "a: {}", []string{"a may no longer be null"}},
		"Lower":        {"less than before", "a: {maximum: 9}", "a: {maximum: 8.5}", []string{"a has a lower maximum: 8.5"}},
		"LowerNew":     {"any number before", "a: {}", "a: {maxItems: 8}", []string{"a has a lower maxItems: 8"}},
		"Same":         {"the same number in another form", "a: {maximum: 9}", "a: {maximum: 9.0, description: x}", nil},
		"Higher":       {"more than before", "a: {minLength: 1}", "a: {minLength: 2}", []string{"a has a higher minLength: 2"}},
		"HigherNew":    {"any number before", "a: {}", "a: {minItems: 1}", []string{"a has a higher minItems: 1"}},
		"NoughtNew":    {"no list has fewer than none", "a: {}", "a: {minItems: 0}", nil},
		"MinimumNew":   {"a number may have been below nought", "a: {}", "a: {minimum: 0}", []string{"a has a higher minimum: 0"}},
		"Wider":        {"more room", "a: {maxLength: 8, minimum: 2}", "a: {maxLength: 9, minimum: 1}", nil},
		"NoNumber":     {"what is no number says nothing", "a: {maxLength: 8}", "a: {maxLength: few}", nil},
		"Nested":       {"below other fields, quoted where it has to be", "a: {properties: {b.c: {type: string}}}", "a: {properties: {b.c: {type: integer}}}", []string{`a["b.c"] becomes integer, was string`}},
		"Values":       {"of any key", "a: {additionalProperties: {type: string}}", "a: {additionalProperties: {type: integer}}", []string{`a["*"] becomes integer, was string`}},
		"Gone":         {"what was in it is lost", "a: {properties: {b: {}}}", "a: {properties: {}}", []string{"a.b is removed: objects lose it"}},
		"GoneAlike":    {"a field for any key keeps it", "a: {properties: {b: {}}}", "a: {additionalProperties: {}}", nil},
		"GoneKept":     {"unknown fields are kept", "a: {properties: {b: {}}}", "a: {x-kubernetes-preserve-unknown-fields: true}", nil},
		"Unknown":      {"and no longer are", "a: {x-kubernetes-preserve-unknown-fields: true}", "a: {}", []string{"a no longer keeps unknown fields"}},
		"Several":      {"all that is narrower", "a: {}, b: {maximum: 2}", "a: {type: string, enum: [x]}, b: {maximum: 1}", []string{"a becomes string, was of any type", "a allows fewer values", "b has a lower maximum: 1"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, narrowed(t, tc.before, tc.after)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestVersionsOfDefinitions(t *testing.T) {
	crd := func(versions string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ws.e.com}\nspec: {group: e.com, scope: Cluster, names: {kind: W, plural: ws}, versions: [" + versions + "]}"
	}
	const schema = "schema: {openAPIV3Schema: {type: object, required: [a]}}"
	cases := map[string]struct {
		reason, before, after string
		want                  []string
	}{
		"Comes":    {"a version more is wider", "{name: v1, served: true}", "{name: v1, served: true}, {name: v2, served: true}", nil},
		"Goes":     {"each that goes is told, in order", "{name: v2}, {name: v1}, {name: v3}", "{name: v3, served: true}", []string{"version v1 is removed", "version v2 is removed"}},
		"Served":   {"one that was not served either", "{name: v1, served: false}", "{name: v1, served: false, deprecated: true}", nil},
		"Both":     {"one that is no longer served is compared all the same", "{name: v1, " + schema + "}", "{name: v1, served: false, schema: {openAPIV3Schema: {type: object, required: [a, b]}}}", []string{"version v1 is no longer served", "v1: the object now requires b"}},
		"EachAlso": {"each version has its own schema", "{name: v1, " + schema + "}, {name: v2, " + schema + "}", "{name: v1, " + schema + "}, {name: v2, schema: {openAPIV3Schema: {type: string}}}", []string{"v2: the object becomes string, was object"}},
		"Nameless": {"a version without a name is none", "{served: true}", "{served: false}", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range Compare(manifests(t, crd(tc.before)), manifests(t, crd(tc.after)), Options{}).Risks {
				got = append(got, r.Message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Of a definition that is another one altogether the first differences are told, and
// how many there are.
func TestWhatIsToldOfADefinitionIsBounded(t *testing.T) {
	var fields []string
	for i := range maxCRDRisks + 3 {
		fields = append(fields, fmt.Sprintf("f%02d: {type: string}", i))
	}
	got := narrowed(t, strings.Join(fields, ", "), "")
	if len(got) != maxCRDRisks+1 || got[0] != "f00 is removed: objects lose it" || got[maxCRDRisks] != "and 3 more such changes" {
		t.Errorf("told are %d: %q … %q", len(got), got[0], got[len(got)-1])
	}
	var values []string
	for i := range 5 {
		values = append(values, strings.Repeat(strconv.Itoa(i), maxNote))
	}
	long := narrowed(t, "a: {enum: ['"+strings.Join(values, "','")+"']}", "a: {enum: [x]}")
	if len(long) != 1 || len(long[0]) > 6*maxKey+100 || !strings.Contains(long[0], "…") {
		t.Errorf("long values are told with %d bytes", len(long[0]))
	}
}
