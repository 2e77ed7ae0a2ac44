package helm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
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
