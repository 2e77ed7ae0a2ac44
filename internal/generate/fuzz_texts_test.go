package generate

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/test/await"
)

var fuzzLimits = Limits{Text: 1 << 16, Made: 1 << 20, Steps: 1000, Time: time.Second}.complete()

func fuzzParams() Params {
	return Params{
		"name": "web", "server": "https://x", "n": 1.5, "list": []any{"a", map[string]any{"b": nil}}, "null": nil,
		"metadata": map[string]any{"labels": map[string]string{"env": "dev", "a.b/c": "x"}, "annotations": map[string]string{}},
		"values":   map[string]string{"v": "{{name}}"}, "path": map[string]any{"segments": []string{"a", "b"}},
	}
}

// FuzzGoTexts: no Go template may end the engine, and one of plain parameters
// renders the same without the template engine.
func FuzzGoTexts(f *testing.F) {
	for _, text := range []string{
		"{{.name}}-{{.metadata.labels.env}}", "{{- .name -}} x", "{{/* c */}}{{.null}}", "{{.list}}", `{{index .metadata.labels "env"}}`,
		`{{range $i, $e := .list}}{{$e}}{{end}}`, `{{with .metadata}}{{.labels.env | upper}}{{end}}`, `{{define "t"}}{{template "t" .}}{{end}}{{template "t" .}}`,
		`{{$d := dict}}{{$_ := set $d "a" $d}}{{$d}}`, `{{repeat 100000 "x"}}`, `{{toYaml .}}`, `{{dig "a" "b" "" .}}`, `{{.name | trunc -3}}`, `{{slugify 3 true .name}}`,
		`{{$l := list}}{{range until 500}}{{$l = append $l (repeat 60000 "x")}}{{end}}`, `{{printf "%[3]*.[2]*[1]f" 12.0 2 6}}`, `{{range until 10}}{{break}}{{end}}`,
		`{{join .name (until 9000)}}`, `{{wrapWith 1 (repeat 1000 "x") (repeat 300 "a ")}}`, `{{$l := list .name .name}}{{$m := list $l $l $l}}{{print $m}}{{toJson $m}}`, `{{eq .list 1}}`, `{{.name | ne "a"}}`, `{{now.Format "1"}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), fuzzLimits.Time)
		defer cancel()
		g := newGoTexts(ctx, nil, fuzzLimits, &budget{fuzzLimits.Total}, newLacks())
		p := fuzzParams()
		out, err := g.render(text, p)
		if len(out) > max(fuzzLimits.Text, len(text)) {
			t.Errorf("%d bytes, more than the limit", len(out))
		}
		parsed := g.parsed.texts[text]
		if err != nil || parsed == nil || parsed.parts == nil {
			return
		}
		parsed.parts = nil
		if again, err := g.render(text, p); err != nil || again != out {
			t.Errorf("%q without the engine, %q with it (%v)", out, again, err)
		}
	})
}

// FuzzFastTexts: what is no known key stays as it is written.
func FuzzFastTexts(f *testing.F) {
	for _, text := range []string{"{{name}}", "{{ name }}-{{nope}}", "{{name", "}}{{", "{{{{name}}}}", "{{\n}}", "{{}}", "{{ }}", "{{name}} {{values.v}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := newFastTexts(fuzzLimits, &budget{fuzzLimits.Total}, newLacks())
		if out, err := r.render(text, Params{}); err == nil && out != text {
			t.Errorf("%q became %q without any parameter", text, out)
		}
		if _, err := r.render(text, Params{"name": "{{name}}", "n": 1.5}); err != nil && len(text) < fuzzLimits.Text/16 && !strings.Contains(err.Error(), "not closed") {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// FuzzFlatten: each text of a value is found again under its key, and the
// fast mode can combine what comes of it.
func FuzzFlatten(f *testing.F) {
	for _, text := range []string{`{"a": {"b": [1, {"c": null}]}, "d": true}`, `{"a.b": 1, "a": {"b": 2}}`, "a: {}", "a: []", "y: on\nn: 010", "? [a]\n: b", "a: &x [*x]", "{}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := Params{}
		if yaml.Unmarshal(text, &p) != nil {
			return
		}
		flat := Params{}
		if err := (&account{share: 1 << 30, most: 1 << 30}).flatten(p, flat); err != nil {
			t.Fatal(err)
		}
		for k := range flat {
			if text, has := p.leaf(k); !has {
				t.Errorf("key %q has no leaf, which flatten gave %q", k, text)
			}
		}
		for k, v := range p {
			if s, ok := v.(string); ok && flat[k] == "" && s != "" {
				t.Errorf("key %q lost", k)
			}
		}
		if both, err := combineTexts(flat, flat); err != nil || len(both) != len(flat) {
			t.Errorf("a set does not combine with itself: %v", err)
		}
		over, _, err := overwriteNested(p, p)
		if err != nil || !reflect.DeepEqual(slices.Sorted(maps.Keys(over)), slices.Sorted(maps.Keys(p))) {
			t.Errorf("a set does not overwrite itself: %v", err)
		}
		_ = p.String()
	})
}

// FuzzGlobs: no pattern of a git generator may take long or panic.
func FuzzGlobs(f *testing.F) {
	for _, pair := range [][2]string{
		{"apps/*", "apps/web"}, {"**/*.yaml", "a/b/c.yaml"}, {"[!a-z]?", "A1"}, {`\[x`, "[x"}, {"[", "["}, {"[[:alpha:]", "a"}, {"a/../b", "b"}, {"*a*a*a*a*b", strings.Repeat("a", 100)},
		{"{a,b{c,d}}/**", "bc/x"}, {"", ""}, {".", "x"}, {"[]-a]", "]"}, {"/x", "x"}, {strings.Repeat("{a,a}", 60) + "b", strings.Repeat("a", 60)},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 500 || len(name) > 500 {
			return
		}
		began := time.Now()
		for _, read := range []func(string) (func(string) bool, string, error){pathspec, doublestarPath} {
			match, root, err := read(pattern)
			if err != nil {
				continue
			}
			if root == "" {
				t.Errorf("pattern %q has no root", pattern)
			}
			match(name)
		}
		matchFolder(pattern, name)
		literalRoot(pattern)
		hasHidden(name)
		if took := time.Since(began); took > await.Limit {
			t.Errorf("took %s", took)
		}
	})
}

// FuzzElements: what a list generator is given gives sets or an error.
func FuzzElements(f *testing.F) {
	for _, text := range []string{"- app: a\n- app: b", "[{app: a, values: {x: 1}}]", "{}", "- 1", "&a [*a]", "- {app: '{{.x}}'}", "[[[[", "- &x {a: 1}\n- <<: *x\n  b: 2", "- {app: {deep: [1]}}"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	g := New(testFleet(), testRepo(), anyProject{}, WithLimits(fuzzLimits))
	f.Fuzz(func(t *testing.T, text string, goMode bool) {
		set := parseSet(t, "metadata: {name: set, namespace: argocd}\nspec: {generators: [], template: {metadata: {name: '{{app}}{{.app}}'}, spec: {project: default, destination: {name: in-cluster}}}}")
		list := &v1alpha1.ListGenerator{ElementsYaml: text}
		var element map[string]any
		if yaml.Unmarshal([]byte(text), &element) == nil {
			if raw, err := json.Marshal(element); err == nil {
				list.Elements = append(list.Elements, jsonOf(raw))
			}
		}
		set.Spec.GoTemplate, set.Spec.Generators = goMode, []v1alpha1.ApplicationSetGenerator{{List: list}}
		exp, err := g.Applications(t.Context(), set)
		if err == nil && exp == nil {
			t.Error("neither Applications nor an error")
		}
	})
}

// FuzzPatch: merging a part of an Application gives what merging all of it does.
func FuzzPatch(f *testing.F) {
	for _, text := range []string{
		"spec: {syncPolicy: {automated: {prune: true}}}", "spec: {info: [{name: a, value: b}]}", "spec: {$patch: replace}", "spec: {sources: null}", "metadata: {labels: {a: null}}",
		"{\"spec\": {\"SOURCE\": {\"path\": \"x\"}}}", "spec: {destination: {name: x}}", "spec: {$retainKeys: [project]}", "spec: {$setElementOrder/info: [{name: x}]}", "Spec: {project: x}", "spec: {}\nSpec: null",
	} {
		f.Add(text)
	}
	const app = `{metadata: {name: web, namespace: argocd, labels: {a: b}}, spec: {project: default, destination: {name: prod}, source: {repoURL: u, path: p, helm: {values: v}}, info: [{name: x, value: z}], syncPolicy: {syncOptions: [A=true]}}}`
	f.Fuzz(func(t *testing.T, text string) {
		part, err := readPatch(text)
		if err != nil {
			return
		}
		whole := *part
		whole.whole, whole.added = true, nil
		var results [2]*v1alpha1.Application
		var errs [2]error
		for i, p := range []*patch{part, &whole} {
			base := &v1alpha1.Application{}
			if err := yaml.Unmarshal([]byte(app), base); err != nil {
				t.Fatal(err)
			}
			if results[i], errs[i] = p.apply(base); results[i] != nil {
				results[i].TypeMeta = base.TypeMeta
			}
		}
		if (errs[0] == nil) != (errs[1] == nil) {
			t.Errorf("a part: %v, the whole: %v", errs[0], errs[1])
		}
		if d := cmp.Diff(results[1], results[0]); errs[0] == nil && d != "" {
			t.Errorf("(-whole +part):\n%s", d)
		}
	})
}
