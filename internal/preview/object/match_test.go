package object

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// told is a comparison in short: change, kind, namespace/name.
func told(c Comparison) []string {
	var out []string
	for _, o := range c.Objects {
		out = append(out, string(o.Change)+" "+o.Kind+" "+o.Namespace+"/"+o.Name)
	}
	return out
}

func TestObjectsAreMatched(t *testing.T) {
	config := func(name, value string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {a: " + value + "}"
	}
	cases := map[string]struct {
		reason        string
		before, after string
		options       Options
		want          []string
	}{
		"renamed":              {"another name is another object", config("a", "x"), config("b", "x"), Options{}, []string{"removed ConfigMap /a", "added ConfigMap /b"}},
		"twice":                {"the last one wins", config("a", "x"), config("a", "z") + "\n---\n" + config("a", "x"), Options{}, nil},
		"default namespace":    {"the destination's, for kinds that have one", config("a", "x"), config("a", "z"), Options{Namespace: "shop"}, []string{"changed ConfigMap shop/a"}},
		"namespace spelled":    {"written or not, it is the same place", config("x", "a"), wrap("v1", "ConfigMap", "data: {a: a}"), Options{Namespace: "ns"}, []string{"changed ConfigMap ns/x"}},
		"cluster-scoped":       {"a namespace means nothing to them", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, namespace: x}", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {b: c}}", Options{Namespace: "shop"}, []string{"changed Namespace /a"}},
		"custom and scoped":    {"the definition beside it knows", definition("Cluster", "") + "\n---\napiVersion: e.com/v1\nkind: W\nmetadata: {name: a}", definition("Cluster", "") + "\n---\napiVersion: e.com/v1\nkind: W\nmetadata: {name: a, namespace: z}\nspec: {}", Options{Namespace: "shop"}, []string{"changed W /a"}},
		"version":              {"an object keeps its place in another version", "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}", Options{}, []string{"changed HorizontalPodAutoscaler /a"}},
		"in a List":            {"Lists are opened", config("a", "x"), "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: x}}", Options{}, nil},
		"nothing and nothing":  {"an empty rendering is one", "", "", Options{}, nil},
		"everything goes":      {"one side may be empty", config("a", "x"), "", Options{}, []string{"removed ConfigMap /a"}},
		"an odd kind of items": {"only Lists without a name are opened", "apiVersion: e.com/v1\nkind: AllowList\nmetadata: {name: a}\nitems: [x]", "apiVersion: e.com/v1\nkind: AllowList\nmetadata: {name: a}\nitems: [z]", Options{}, []string{"changed AllowList /a"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := told(Compare(manifests(t, c.before), manifests(t, c.after), c.options))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func definition(scope, spec string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ws.e.com}\nspec: {group: e.com, scope: " + scope +
		", names: {kind: W, plural: ws}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {spec: {properties: {" + spec + "}}}}}}]}"
}

func TestSchemasTellListsApart(t *testing.T) {
	crd := definition("Namespaced", `rules: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [host, path], items: {}}, tags: {type: array, x-kubernetes-list-type: set}`)
	bare := func(spec string) []gitops.Manifest {
		return manifests(t, "apiVersion: e.com/v1\nkind: W\nmetadata: {name: a}\nspec: {"+spec+"}")
	}
	object := func(spec string) []gitops.Manifest { return append(manifests(t, crd), bare(spec)...) }
	before := object("rules: [{host: a, path: b, v: 1}, {host: a, path: c, v: 2}], tags: [x, z]")
	if got := Compare(before, object("rules: [{host: a, path: c, v: 2}, {host: a, path: b, v: 1}], tags: [z, x]"), Options{}); len(got.Objects) > 0 {
		t.Errorf("the order counts: %+v", got.Objects)
	}
	got := Compare(before, object("rules: [{host: a, path: c, v: 3}, {host: a, path: b, v: 1}], tags: [z, x]"), Options{})
	want := []forecast.Field{{Path: "spec.rules[host=a,path=c].v", Old: int64(2), New: int64(3)}}
	if len(got.Objects) != 1 || cmp.Diff(want, got.Objects[0].Fields) != "" {
		t.Errorf("got %+v, want %+v", got.Objects, want)
	}
	before = bare("rules: [{host: a, path: b, v: 1}, {host: a, path: c, v: 2}], tags: [x, z]")
	if got := Compare(before, bare("rules: [{host: a, path: c, v: 2}, {host: a, path: b, v: 1}], tags: [z, x]"), Options{}); len(got.Objects) != 1 {
		t.Error("without a schema the order may count, and is told")
	}
}

func TestImagesAreJoined(t *testing.T) {
	deployment := func(name, images string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + "}\nspec: {template: {spec: {" + images + "}}}"
	}
	before := deployment("a", "containers: [{name: x, image: 'r/x:1'}], initContainers: [{name: i, image: 'r/i@sha256:aa'}]") + "\n---\n" + deployment("b", "containers: [{name: x, image: 'r/x:1'}, {name: gone, image: 'r/g:1'}]") +
		"\n---\napiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: c}\nspec: {template: {spec: {containers: [{name: x, image: 'r/x:1'}]}}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata: {image: a}"
	after := deployment("a", "containers: [{name: x, image: 'r/x:2'}], initContainers: [{name: i, image: 'r/i@sha256:bb'}]") + "\n---\n" + deployment("b", "containers: [{name: x, image: 'r/x:2'}]") +
		"\n---\napiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: c}\nspec: {template: {spec: {containers: [{name: x, image: 'r/x:2'}, {name: n, image: 'r/n:1'}]}}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata: {image: b}"
	got := Compare(manifests(t, before), manifests(t, after), Options{})
	want := []forecast.Image{
		{Old: "r/g:1", Objects: []string{"Deployment/b"}},
		{Old: "r/i@sha256:aa", New: "r/i@sha256:bb", Objects: []string{"Deployment/a"}},
		{New: "r/n:1", Objects: []string{"Rollout/c"}},
		{Old: "r/x:1", New: "r/x:2", Objects: []string{"Deployment/a", "Deployment/b", "Rollout/c"}},
	}
	if diff := cmp.Diff(want, got.Images); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLongTextsKeepTheirDifference(t *testing.T) {
	long := func(line string) string {
		text := strings.Repeat("    a line that is like the others\n", 2000)
		return wrap("v1", "ConfigMap", "data:\n  x: |\n"+text+"    "+line+"\n"+text)
	}
	f := Compare(manifests(t, long("before")), manifests(t, long("after")), Options{}).Objects[0].Fields[0]
	want := forecast.Field{Path: "data.x", Old: "…\na line that is like the others\na line that is like the others\nbefore\na line that is like the others\na line that is like the others\n…"}
	old, _ := f.Old.(string)
	if len(old) > 400 || f.Old == f.New {
		t.Errorf("got %d bytes:\n%s\nwant about\n%s", len(old), old, want.Old)
	}
}
