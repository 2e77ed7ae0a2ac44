package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// told writes values as lines: path, then a word a layer.
func told(values []gitops.Value) []string {
	var out []string
	for _, v := range values {
		var line strings.Builder
		line.WriteString(strings.Join(v.Path, ".") + ":")
		for _, l := range v.Layers {
			fmt.Fprintf(&line, " %s(%s %s)=%v", l.Kind, l.Name, l.Origin, l.Value)
		}
		out = append(out, line.String())
	}
	return out
}

func TestExplain(t *testing.T) {
	files := treetest.Files{
		"web/Chart.yaml":       "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.x, repository: \"file://../db\", alias: store, import-values: [out]}\n",
		"web/values.yaml":      "# a comment\nimage:\n  tag: one\n  name: x\nlist: [1, 2]\nempty: {}\nglobal:\n  zone: a\nstore:\n  size: 2\ndrop: me\ndeep: {a: 1}\n",
		"db/Chart.yaml":        "apiVersion: v2\nname: db\nversion: 1.2.0\n",
		"db/values.yaml":       "size: 1\nuser: root\nglobal: {zone: own, only: db}\nexports:\n  out:\n    fromdb: yes\n",
		"web/templates/x.yaml": "",
		"values/a.yaml":        "base: &base\n  tag: two\nimage:\n  <<: *base\nlist:\n- 3\ndrop: null\n",
		"values/b.yaml":        "image: {tag: three}\n",
		"values/f.txt":         "text of f",
	}
	spec := v1alpha1.ApplicationSourceHelm{
		ValueFiles:     []string{"../values/a.yaml", "/values/b*.yaml"},
		ValuesObject:   &runtime.RawExtension{Raw: []byte(`{"image":{"tag":"four"},"deep":null}`)},
		Parameters:     []v1alpha1.HelmParameter{{Name: "image.tag", Value: "5", ForceString: true}, {Name: "new[1].x", Value: "7"}, {Name: "global.zone", Value: "b"}},
		FileParameters: []v1alpha1.HelmFileParameter{{Name: "text", Path: "/values/f.txt"}},
	}
	got, err := New(Options{}).Explain(t.Context(), sourceOf(t, files, spec, gitops.Facts{}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"base.tag: valueFile(../values/a.yaml values/a.yaml:2)=two",
		"deep: chart(web web/values.yaml:12)=map[a:1] values(helm.valuesObject )=<nil>",
		"drop: chart(web web/values.yaml:11)=me valueFile(../values/a.yaml values/a.yaml:7)=<nil>",
		"empty: chart(web web/values.yaml:6)=map[]",
		"fromdb: chart(web (import-values) )=true",
		"global.zone: chart(web web/values.yaml:8)=a parameter(global.zone )=b",
		"image.name: chart(web web/values.yaml:4)=x",
		"image.tag: chart(web web/values.yaml:3)=one valueFile(../values/a.yaml values/a.yaml:2)=two valueFile(/values/b*.yaml values/b.yaml:1)=three values(helm.valuesObject )=four parameter(image.tag )=5",
		"list: chart(web web/values.yaml:5)=[1 2] valueFile(../values/a.yaml values/a.yaml:5)=[3]",
		"new: parameter(new[1].x )=[<nil> map[x:7]]",
		"store.exports.out.fromdb: chart(store db/values.yaml:6)=true",
		"store.global.only: chart(store db/values.yaml:3)=db",
		"store.global.zone: chart(store db/values.yaml:3)=own chart(web web/values.yaml:8)=a parameter(global.zone )=b",
		"store.size: chart(store db/values.yaml:1)=1 chart(web web/values.yaml:10)=2",
		"store.user: chart(store db/values.yaml:2)=root",
		"text: fileParameter(text values/f.txt:1)=text of f",
	}
	if diff := cmp.Diff(want, told(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestExplainFails tells the same problems as a render.
func TestExplainFails(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1alpha1.ApplicationSourceHelm
	}{
		"File":          {"a value file is missing", v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"none.yaml"}}},
		"Parameter":     {"a parameter cannot be read", v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{{Name: "a[x].b", Value: "1"}}}},
		"FileParameter": {"the file of a parameter is missing", v1alpha1.ApplicationSourceHelm{FileParameters: []v1alpha1.HelmFileParameter{{Name: "a", Path: "none"}}}},
		"Text":          {"the values are no mapping", v1alpha1.ApplicationSourceHelm{Values: "- a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := New(Options{}).Explain(t.Context(), sourceOf(t, chartFiles(), tc.spec, gitops.Facts{})); err == nil {
				t.Error(tc.reason)
			}
		})
	}
}

// TestExplainIsBounded has layers that each say much of many values.
func TestExplainIsBounded(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		b.WriteString("a:\n")
		for i := range n {
			fmt.Fprintf(&b, "  k%d: 1\n", i)
		}
		return b.String()
	}
	long := strings.Repeat("x", 1<<20)
	for name, tc := range map[string]struct {
		reason, weak, strong, want string
	}{
		"Text":  {"a text stands at each value that covers it", "a: " + long, many(100), "more than 32 MiB"},
		"List":  {"so does a list", "a: [" + strings.Repeat("1,", 1<<15) + "1]", many(100), "more than 32 MiB"},
		"Map":   {"and a mapping with what it has", "a: {x: 1}\nb: {x: " + long + "}", many(1) + "b: 1", ""},
		"Names": {"paths are told as well", "a: 1", many(2_000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := chartFiles()
			files["weak.yaml"], files["strong.yaml"] = tc.weak, tc.strong
			spec := v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"/weak.yaml", "/strong.yaml"}}
			got, err := New(Options{}).Explain(t.Context(), sourceOf(t, files, spec, gitops.Facts{}))
			if tc.want == "" {
				if err != nil || len(got) == 0 {
					t.Errorf("%s: %d values, %v", tc.reason, len(got), err)
				}
				return
			}
			if p := (*gitops.Problem)(nil); !errors.As(err, &p) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "fewer and smaller value files") {
				t.Errorf("%s: %d values, %v", tc.reason, len(got), err)
			}
		})
	}
}

// TestExplainIsBoundedTogether has two sources of an application that each say as
// much as one may, almost.
func TestExplainIsBoundedTogether(t *testing.T) {
	var strong strings.Builder
	strong.WriteString("a:\n")
	for i := range 20 { // a MiB each
		fmt.Fprintf(&strong, "  k%d: 1\n", i)
	}
	files := chartFiles()
	files["weak.yaml"], files["strong.yaml"] = "a: "+strings.Repeat("x", 1<<20), strong.String()
	spec := v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"/weak.yaml", "/strong.yaml"}}
	explain := func(spent *source.Explained) error {
		s := sourceOf(t, files, spec, gitops.Facts{})
		s.Explained = spent
		_, err := New(Options{}).Explain(t.Context(), s)
		return err
	}
	all := &source.Explained{}
	if err := explain(all); err != nil || all.Told < 20<<20 || all.Asked == 0 {
		t.Errorf("the first is told with %+v, %v", all, err)
	}
	if err := explain(all); err == nil || !strings.Contains(err.Error(), "those of all sources together are more than 32 MiB") {
		t.Errorf("the second is told as well: %v", err)
	}
	if err := explain(nil); err != nil {
		t.Errorf("one by itself: %v", err)
	}
}

// TestExplainAsksLittle counts how often layers are asked about values: those that
// say nothing of one are not, and no more are than there is time for.
func TestExplainAsksLittle(t *testing.T) {
	all := map[string]any{}
	explained := func(ctx context.Context, asked int) (int, error) {
		x := newExplanation(loaded{Chart: &chart.Chart{Metadata: &chart.Metadata{Name: "web"}}}, sourceOf(t, chartFiles(), v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
		x.spent.Asked = mostAsked - asked
		for i := range 200 {
			key := fmt.Sprint("k", i)
			all[key] = "x"
			x.add(scoped{layer: layer{kind: gitops.LayerParameter, name: key, values: map[string]any{key: "x"}}})
		}
		_, err := x.values(ctx, all)
		return asked - (mostAsked - x.spent.Asked), err
	}
	if n, err := explained(t.Context(), 1_000); err != nil || n != 200 {
		t.Errorf("layers are asked %d times, %v", n, err)
	}
	if _, err := explained(t.Context(), 100); err == nil || !strings.Contains(err.Error(), "too many, in too many layers") {
		t.Errorf("layers that are asked too often: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if n, err := explained(gone, askedAtOnce+1); !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("for who has gone layers are asked %d times, %v", n, err)
	}
}

// TestLinesOfManyKeys finds each key of a mapping by one look at all of them, also
// those that come by merge keys.
func TestLinesOfManyKeys(t *testing.T) {
	l := linesOf([]byte("base: &base\n  x: 1\n  y: 2\nmore: &more {y: 3, z: 4}\na:\n  <<: [*base, *more]\n  y: 5\nb:\n  <<: *more\nlist:\n- {name: n}\n"))
	for path, want := range map[string]int{"a.x": 2, "a.y": 7, "a.z": 4, "b.y": 4, "b.none": 0, "none": 0, "base.x.deeper": 0} {
		if got := l.of(strings.Split(path, ".")); got != want {
			t.Errorf("%s is in line %d, want %d", path, got, want)
		}
	}
	looked := len(l.known)
	if l.of([]string{"a", "x"}) != 2 || len(l.known) != looked || looked != 5 {
		t.Errorf("%d mappings were looked at, and then %d", looked, len(l.known))
	}
	if none := linesOf([]byte("a: [")); none.of([]string{"a"}) != 0 || none.named("list", 0, "n") != 0 {
		t.Error("a text that cannot be read has lines")
	}
}
