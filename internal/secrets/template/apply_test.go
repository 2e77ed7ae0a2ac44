package template

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	one := &unstructured.Unstructured{}
	inJSON, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = utiljson.Unmarshal(inJSON, &one.Object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return one
}

const (
	aSecret = "{apiVersion: v1, kind: Secret}"
	aConfig = "{apiVersion: v1, kind: ConfigMap}"
	aThing  = `{apiVersion: example.com/v1, kind: Thing, spec: {replicas: 1, rules: [{host: a}]}}`
)

func TestApply(t *testing.T) {
	values := map[string][]byte{"user": []byte("ada"), "bytes": {0, 255}, "encoded": []byte("aGk="), "port": []byte("5432")}
	one := func(text string) map[string]string { return map[string]string{"k": text} }
	for name, tc := range map[string]struct {
		reason  string
		request Request
		object  string
		want    string
		err     string
	}{
		"data":             {"the data of a Secret are encoded", Request{Templates: one("{{ .user }}")}, aSecret, "{apiVersion: v1, kind: Secret, data: {k: YWRh}}", ""},
		"data named":       {"by name, in any case", Request{Templates: one("{{ .user }}"), Target: "DATA"}, aSecret, "{apiVersion: v1, kind: Secret, data: {k: YWRh}}", ""},
		"binary":           {"bytes stay", Request{Templates: one("{{ .bytes }}")}, aSecret, "{apiVersion: v1, kind: Secret, data: {k: AP8=}}", ""},
		"empty":            {"an empty text is a value", Request{Templates: one("")}, aSecret, `{apiVersion: v1, kind: Secret, data: {k: ""}}`, ""},
		"beside":           {"other values stay", Request{Templates: one("x")}, "{apiVersion: v1, kind: Secret, data: {o: eA==}}", "{apiVersion: v1, kind: Secret, data: {o: eA==, k: eA==}}", ""},
		"replaced":         {"one of the same key is replaced", Request{Templates: one("y")}, "{apiVersion: v1, kind: Secret, data: {k: eA==}}", "{apiVersion: v1, kind: Secret, data: {k: eQ==}}", ""},
		"decoded":          {"what was rendered may be encoded", Request{Templates: one("{{ .encoded }}"), Decoding: esv1.DecodeBase64}, aSecret, "{apiVersion: v1, kind: Secret, data: {k: aGk=}}", ""},
		"config":           {"the data of a ConfigMap are texts", Request{Templates: one("{{ .user }}")}, aConfig, "{apiVersion: v1, kind: ConfigMap, data: {k: ada}}", ""},
		"other Secret":     {"those of another group's Secret as well", Request{Templates: one("x")}, "{apiVersion: e.com/v1, kind: Secret}", "{apiVersion: e.com/v1, kind: Secret, data: {k: x}}", ""},
		"labels":           {"labels", Request{Templates: one("{{ .user }}"), Target: "Labels"}, aSecret, "{apiVersion: v1, kind: Secret, metadata: {labels: {k: ada}}}", ""},
		"annotations":      {"annotations", Request{Templates: one("{{ .port }}"), Target: "annotations"}, aSecret, `{apiVersion: v1, kind: Secret, metadata: {annotations: {k: "5432"}}}`, ""},
		"spec":             {"a spec of texts", Request{Templates: one("{{ .port }}"), Target: "Spec"}, aThing, `{apiVersion: example.com/v1, kind: Thing, spec: {k: "5432", replicas: 1, rules: [{host: a}]}}`, ""},
		"pairs":            {"a map of keys and values", Request{Templates: one("a: {{ .user }}\nb: 2\nc: true"), Scope: esv1.ScopeKeysAndValues}, aSecret, "{apiVersion: v1, kind: Secret, data: {a: YWRh, b: Mg==, c: dHJ1ZQ==}}", ""},
		"pairs of labels":  {"also of labels", Request{Templates: one("a: x"), Scope: esv1.ScopeKeysAndValues, Target: "Labels"}, aSecret, "{apiVersion: v1, kind: Secret, metadata: {labels: {a: x}}}", ""},
		"no pairs":         {"no keys are no error", Request{Templates: one(""), Scope: esv1.ScopeKeysAndValues}, aSecret, aSecret, ""},
		"spec, merged":     {"the fields of a spec beside the others", Request{Templates: one("replicas: {{ .port }}"), Scope: esv1.ScopeKeysAndValues, Target: "spec"}, aThing, "{apiVersion: example.com/v1, kind: Thing, spec: {replicas: 5432, rules: [{host: a}]}}", ""},
		"path":             {"any other place, as YAML", Request{Templates: one("[{{ .port }}, x]"), Target: "spec.ports"}, aThing, "{apiVersion: example.com/v1, kind: Thing, spec: {replicas: 1, ports: [5432, x], rules: [{host: a}]}}", ""},
		"path to an item":  {"an item of a list", Request{Templates: one("b"), Target: "spec.rules[0].host"}, aThing, "{apiVersion: example.com/v1, kind: Thing, spec: {replicas: 1, rules: [{host: b}]}}", ""},
		"path beyond":      {"an item that there is not yet", Request{Templates: one("b"), Target: "spec.rules[2].host"}, aThing, "{apiVersion: example.com/v1, kind: Thing, spec: {replicas: 1, rules: [{host: a}, null, {host: b}]}}", ""},
		"path, merged":     {"fields beside those that are there", Request{Templates: one("port: 1"), Scope: esv1.ScopeKeysAndValues, Target: "spec.rules[0]"}, aThing, "{apiVersion: example.com/v1, kind: Thing, spec: {replicas: 1, rules: [{host: a, port: 1}]}}", ""},
		"path, replaced":   {"a text in place of fields", Request{Templates: one("x"), Scope: esv1.ScopeKeysAndValues, Target: "spec"}, aThing, "{apiVersion: example.com/v1, kind: Thing, spec: x}", ""},
		"large number":     {"whole numbers keep their digits", Request{Templates: one("9007199254740993"), Target: "spec.x"}, "{kind: Thing, apiVersion: e/v1}", "{kind: Thing, apiVersion: e/v1, spec: {x: 9007199254740993}}", ""},
		"scope":            {"a scope that there is not", Request{Templates: one("x"), Scope: "Everything"}, aSecret, "", "unknown scope 'Everything'"},
		"no map":           {"words are no keys and values", Request{Templates: one("hunter22"), Scope: esv1.ScopeKeysAndValues}, aSecret, "", `template of the key "k": the text is no map of keys and values`},
		"nested":           {"nor is a value that is a map", Request{Templates: one("a: {b: hunter22}"), Scope: esv1.ScopeKeysAndValues}, aSecret, "", "no map of keys and values"},
		"list":             {"nor is a list", Request{Templates: one("- hunter22"), Scope: esv1.ScopeKeysAndValues}, aSecret, "", "no map of keys and values"},
		"no base64":        {"what cannot be decoded", Request{Templates: one("hunter22!"), Decoding: esv1.DecodeBase64}, aSecret, "", `template of the key "k"`},
		"render":           {"what cannot be rendered", Request{Templates: one("{{ .nope }}")}, aSecret, "", `template of the key "k"`},
		"into a text":      {"a path that goes into a text", Request{Templates: one("x"), Target: "spec.rules[0].host.name"}, aThing, "", "expected map at key"},
		"into a map":       {"an item of what is no list", Request{Templates: one("x"), Target: "spec[0]"}, aThing, "", "expected list at index 0"},
		"no path":          {"a path that is none", Request{Templates: one("x"), Target: "spec..a"}, aThing, "", `target "spec..a": empty segment`},
		"no YAML":          {"what is no YAML", Request{Templates: one("[hunter22"), Target: "spec.a"}, aThing, "", `target "spec.a"`},
		"no YAML, merged":  {"neither to merge", Request{Templates: one("[hunter22"), Scope: esv1.ScopeKeysAndValues, Target: "spec.a"}, aThing, "", `target "spec.a"`},
		"data are no map":  {"data that are a text", Request{Templates: one("x")}, "{apiVersion: v1, kind: Secret, data: hunter22}", "", `template of the key "k"`},
		"sum of all texts": {"several are rendered in their order", Request{Templates: map[string]string{"a": "1", "b": "2"}, Target: "spec.x"}, aThing, "{apiVersion: example.com/v1, kind: Thing, spec: {replicas: 1, x: 2, rules: [{host: a}]}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			into := object(t, tc.object)
			err := Apply(tc.request, values, into)
			refused(t, tc.reason, err, tc.err)
			if err != nil {
				return
			}
			got, err := yaml.Marshal(into.Object)
			if err != nil {
				t.Fatal(err)
			}
			want, err := yaml.Marshal(object(t, tc.want).Object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, path string
		want         []step
		err          string
	}{
		"field":      {"one field", "spec", []step{{field: "spec"}}, ""},
		"fields":     {"one in another", "spec.a-b", []step{{field: "spec"}, {field: "a-b"}}, ""},
		"items":      {"lists in lists", "spec.a[0][12].b", []step{{field: "spec"}, {field: "a"}, {item: true}, {index: 12, item: true}, {field: "b"}}, ""},
		"nothing":    {"no path", "", nil, "empty segment"},
		"dots":       {"a field without a name", "a..b", nil, "empty segment"},
		"item first": {"a list without a name", "[0]", nil, "empty segment"},
		"open":       {"an index that does not end", "a[0", nil, "unterminated '['"},
		"word":       {"an index that is a word", "a[x]", nil, `index "x" is no number`},
		"negative":   {"an index below 0", "a[-1]", nil, "negative index"},
		"large":      {"an index that fills the memory", "a[10001]", nil, "exceeds maximum"},
		"behind":     {"a word behind an index", "a[0]b", nil, "unexpected"},
		"long":       {"more steps than anybody writes", strings.Repeat("a.", 100) + "a", nil, "more than 100 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := stepsOf(tc.path)
			refused(t, tc.reason, err, tc.err)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(step{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	in := map[string]any{"a": []any{map[string]any{"b": "c"}}}
	for path, want := range map[string]any{"a[0].b": "c", "a[1]": nil, "a.b": nil, "x": nil, "a[0][0]": nil, "a[0].b.c": nil} {
		steps, err := stepsOf(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, found := lookUp(in, steps); got != want || found != (want != nil) {
			t.Errorf("%s: %v, %v", path, got, found)
		}
	}
}

func TestIsSecret(t *testing.T) {
	for text, want := range map[string]bool{aSecret: true, aConfig: false, "{apiVersion: e.com/v1, kind: Secret}": false, "{}": false} {
		if got := IsSecret(object(t, text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// FuzzApply: no text of strangers is a panic, and what fails changes no value that was given.
func FuzzApply(f *testing.F) {
	f.Add("spec.a[0]", "{{ .v }}", "*x")
	f.Add("data", "a: {{ .v }}", "{")
	f.Add("metadata.labels", "{{ range . }}{{ . }}{{ end }}", "\xff")
	f.Fuzz(func(t *testing.T, target, text, value string) {
		if len(text) > 60 || strings.ContainsAny(text, "0123456789") || strings.ContainsAny(target, "23456789") {
			t.Skip("what repeats texts is for a worker")
		}
		values := map[string][]byte{"v": []byte(value)}
		before := maps.Clone(values)
		for _, scope := range []esv1.TemplateScope{"", esv1.ScopeKeysAndValues} {
			into := object(t, aSecret)
			if Apply(Request{Templates: map[string]string{"k": text}, Scope: scope, Target: target}, values, into) != nil {
				continue
			}
			data, _, _ := unstructured.NestedStringMap(into.Object, "data")
			for _, one := range data {
				if _, err := base64.StdEncoding.DecodeString(one); err != nil && !strings.HasPrefix(strings.ToLower(target), "data.") {
					t.Errorf("%q is no base64", one)
				}
			}
		}
		if diff := cmp.Diff(before, values); diff != "" {
			t.Error(diff)
		}
	})
}
