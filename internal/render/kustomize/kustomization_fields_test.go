package kustomize

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// oddOf is why a build is not plain. It goes the way of a render, up to there.
func oddOf(t *testing.T, s setup) string {
	t.Helper()
	const file = "app/kustomization.yaml"
	d := newDisk(t.Context(), s.source(t), flags{}, file, []byte(s.files[file]))
	d.web = s.web
	_, err := within(d)
	if d.odd == "" && err != nil {
		t.Errorf("it is plain, and ends with %.300v", err)
	}
	return d.odd
}

// looked are all fields of a kustomization, by what decides whether it is plain.
var looked = map[string]string{
	"images": "an expression", "patches": "an expression", "patchesJson6902": "an expression",
	"imageTags": "is images", "bases": "is resources", "commonLabels": "is labels",
	"replacements": "odd", "vars": "odd", "openapi": "odd", "transformers": "odd", "generators": "odd", "validators": "odd", "configurations": "odd", "crds": "odd",
	"resources": "files", "components": "files", "patchesStrategicMerge": "patches", "labels": "keys", "commonAnnotations": "keys",
	"configMapGenerator": "keys", "secretGenerator": "keys", "generatorOptions": "keys", "buildMetadata": "odd for one value",
	"helmGlobals": "rendered before", "helmCharts": "rendered before", "helmChartInflationGenerator": "rendered before",
	"apiVersion": "said", "kind": "said", "metadata": "said", "namePrefix": "said", "nameSuffix": "said", "namespace": "said", "replicas": "said", "sortOptions": "said",
}

// TestEveryFieldIsLookedAt: each field of the library's type that has
// expressions, whatever its name, is one in which a broken one is seen; and
// somebody thought of each field of a newer one.
func TestEveryFieldIsLookedAt(t *testing.T) {
	k := reflect.TypeFor[types.Kustomization]()
	for i := range k.NumField() {
		f := k.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || looked[name] != "" {
			broken(t, f)
			continue
		}
		t.Errorf("what of a kustomization's field %s can grow, or is an expression?", name)
	}
}

// broken fills each expression of a field, one at a time.
func broken(t *testing.T, f reflect.StructField) {
	t.Helper()
	if f.Name == "Replacements" || f.Name == "Vars" { // never plain
		return
	}
	for _, e := range []any{
		types.Image{Name: "("}, types.Image{Name: "a)"}, types.Image{Name: strings.Repeat("b", mostExpression+1)},
		types.Patch{Patch: "a", Target: &types.Selector{ResId: resid.ResId{Gvk: resid.Gvk{Group: "("}}}}, types.Patch{Patch: "a", Target: &types.Selector{ResId: resid.ResId{Gvk: resid.Gvk{Version: "("}}}},
		types.Patch{Patch: "a", Target: &types.Selector{ResId: resid.ResId{Gvk: resid.Gvk{Kind: "("}}}}, types.Patch{Patch: "a", Target: &types.Selector{ResId: resid.ResId{Name: "("}}},
		types.Patch{Patch: "a", Target: &types.Selector{ResId: resid.ResId{Namespace: "("}}},
	} {
		if f.Type != reflect.SliceOf(reflect.TypeOf(e)) {
			continue
		}
		var k types.Kustomization
		field := reflect.ValueOf(&k).Elem().FieldByIndex(f.Index)
		field.Set(reflect.Append(field, reflect.ValueOf(e)))
		text, err := yaml.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		if odd := oddOf(t, setup{files: treetest.Files{"app/kustomization.yaml": string(text)}}); odd != "it has a regular expression that is large or broken" {
			t.Errorf("%s: %q of %s", f.Name, odd, text)
		}
	}
}

// TestOtherWords: what is bounded is so in each spelling, and whatever else it is.
func TestOtherWords(t *testing.T) {
	pods := many("", "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a%d}\n", 20)
	maps := many("", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\n", 20)
	images := "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [" + strings.Repeat("{image: a},", 500) + "]}\n"
	for name, c := range map[string]struct {
		reason, kustomization, file, want string
	}{
		"Typical":   {"as people have it", "resources: [a.yaml]\nnamePrefix: p-\nimages: [{name: a, newTag: b}]\nlabels: [{pairs: {a: b}, fields: [{path: spec/x, create: true}]}]\npatches: [{target: {kind: ConfigMap}, patch: '- {op: add, path: /data, value: {}}'}]\nconfigMapGenerator: [{name: b, literals: [a=b]}]\n", maps, ""},
		"Image":     {"few characters repeat much", "resources: [a.yaml]\nimages: [{name: '" + strings.Repeat("(?:.?){500}", 100) + "'}]\n", pods, "regular expression"},
		"ImageTag":  {"by its old name", "resources: [a.yaml]\nimageTags: [{name: '" + strings.Repeat("(?:.?){500}", 100) + "'}]\n", pods, "regular expression"},
		"ImageCase": {"and in another case", "resources: [a.yaml]\nIMAGETAGS: [{Name: '" + strings.Repeat("(?:.?){500}", 100) + "'}]\n", pods, "regular expression"},
		"Name":      {"a name is compiled for each image", "resources: [a.yaml]\nimages: [{name: " + strings.Repeat("b", mostExpression) + "}, {name: c}]\n", images, "many images"},
		"Added":     {"also for those that a patch adds", many("resources: [a.yaml]\nimages:\n", "- {name: a%d}\n", 40) + "patches:\n- target: {kind: Pod}\n  patch: |-\n    - {op: add, path: /spec, value: {containers: [" + strings.Repeat("{image: a},", 400) + "]}}\n", pods, "many images"},
		"Labels":    {"pairs are set key by key", many("resources: [a.yaml]\ncommonLabels:\n", "  k%d: a\n", plainKeys), maps, "many keys"},
		"Notes":     {"annotations as well", many("resources: [a.yaml]\ncommonAnnotations:\n", "  k%d: a\n", plainKeys), maps, "many keys"},
		"Fields":    {"in each field", many("resources: [a.yaml]\nlabels:\n- fields:\n", "  - {path: spec/k%d, create: true}\n", 100) + many("  pairs:\n", "    k%d: a\n", 100), maps, "many keys"},
		"Long":      {"with all of their values", many("resources: [a.yaml]\nlabels:\n- fields:\n", "  - {path: spec/k%d, create: true}\n", 100) + "  pairs: {a: " + strings.Repeat("b", 10_000) + "}\n", maps, "says much"},
		"Literals":  {"what is generated is set key by key", many("configMapGenerator:\n- name: a\n  literals:\n", "  - k%d=a\n", plainKeys+1), "", "many keys"},
		"Variables": {"from a file, too", "secretGenerator: [{name: a, env: a.yaml}]\n", many("", "k%d=a\n", plainKeys+1), "many keys"},
		"No YAML":   {"whose signs are none of YAML", "configMapGenerator: [{name: a, envs: [a.yaml]}]\n", many("A=&a *a !copy\\\n", "K%d=[{\n", 300), ""},
		"Turns":     {"each JSON patch has its objects written and read", many("resources: [a.yaml]\npatches:\n", "- {target: {version: v1}, patch: '- {op: add, path: /data/k%d, value: a}'}\n", 300), maps, "says much"},
		"Patch":     {"a patch with the same key again", "resources: [a.yaml]\npatches:\n- patch: |-\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: a1}, data: {" + strings.Repeat("a,", 300) + "}}\n", maps, "stands twice"},
		"Merge":     {"by its old name", "resources: [a.yaml]\npatchesStrategicMerge:\n- |-\n  {apiVersion: v1, kind: ConfigMap, metadata: {name: a1}, data: {" + strings.Repeat("a,", 300) + "}}\n", maps, "stands twice"},
		"List":      {"what changes objects is listed in each", "resources: [a.yaml]\nbuildMetadata: [transformerAnnotations]\n", maps, "lists what changes it"},
		"Origin":    {"an annotation that is read", "resources: [a.yaml]\ncommonAnnotations: {\"config.kubernetes.io/orig\\x69n\": 'path: a'}\n", maps, "where objects come from"},
		"Pointer":   {"set by a patch", "resources: [a.yaml]\npatches: [{target: {kind: ConfigMap}, patch: '- {op: add, path: /metadata/annotations/config.kubernetes.io~1origin, value: a}'}]\n", maps, "where objects come from"},
		"Told":      {"an object that has it", "resources: [a.yaml]\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {\"config.kubernetes.io/orig\\x69n\": '{" + strings.Repeat("a,", 300) + "}'}}\n", "where an object comes from"},
		"Contents":  {"a resource that is a file of a ConfigMap, too", "resources: [a.yaml]\nconfigMapGenerator: [{name: x, files: [a.yaml]}]\n", thingHead + "spec: {a: &a {x: y}, b: *a}\n", "used again"},
		"Patched":   {"and a patch that is", "patches: [{target: {kind: ConfigMap}, path: a.yaml}]\nconfigMapGenerator: [{name: x, files: [k=a.yaml]}]\n", "- {op: copy, from: /data, path: /data/k}\n", "a patch copies"},
		"Far":       {"a patch from elsewhere", "patches: [{target: {kind: ConfigMap}, path: 'https://web.example/a'}]\nconfigMapGenerator: [{name: x}]\n", "- {op: copy, from: /data, path: /data/k}\n", "a patch copies"},
	} {
		t.Run(name, func(t *testing.T) {
			s := setup{files: treetest.Files{"app/kustomization.yaml": c.kustomization, "app/a.yaml": c.file}, web: webFiles{"https://web.example/a": c.file}}
			if odd := oddOf(t, s); !strings.Contains(odd, c.want) || (odd == "") != (c.want == "") {
				t.Errorf("%s: got %q, want %q", c.reason, odd, c.want)
			}
		})
	}
}

// TestPlainAsBefore has a large application built inside the engine.
func TestPlainAsBefore(t *testing.T) {
	files := treetest.Files{"app/kustomization.yaml": many("resources:\n", "- o%d.yaml\n", 300) + many("images:\n", "- {name: registry.example.com/team/component-%d, newTag: '2'}\n", 20) +
		many("patches:\n", "- {path: p%d.yaml}\n", 40) + many("", "- {target: {kind: Deployment, name: o1%d.*}, patch: '- {op: add, path: /spec/replicas, value: 2}'}\n", 10)}
	for i := range 300 {
		text := fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: o%d}\nspec:\n  template:\n    spec:\n      containers:\n      - name: main\n        image: registry.example.com/team/component-%d:1\n        imagePullPolicy: Always\n", i, i%40)
		files[fmt.Sprintf("app/o%d.yaml", i)] = many(text+"        env:\n", "        - {name: A%d, value: b}\n", 40)
		files[fmt.Sprintf("app/p%d.yaml", i)] = fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: o%d}\nspec:\n  replicas: 3\n  template:\n    metadata:\n      labels: {a: b}\n", i)
	}
	if odd := oddOf(t, setup{files: files}); odd != "" {
		t.Error(odd)
	}
}
