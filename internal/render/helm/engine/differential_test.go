package engine_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	helmengine "helm.sh/helm/v4/pkg/engine"

	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
)

// chartOf loads a chart from texts.
func chartOf(files map[string]string) (*chart.Chart, error) {
	var all []*archive.BufferedFile
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, &archive.BufferedFile{Name: name, Data: []byte(files[name])})
	}
	return loader.LoadFiles(all)
}

// prepared is a chart as it is given to an engine.
func prepared(ch *chart.Chart, values map[string]any) (common.Values, error) {
	if err := chartutil.ProcessDependencies(ch, values); err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "rel", Namespace: "ns", Revision: 1, IsInstall: true}
	return util.ToRenderValuesWithSchemaValidation(ch, values, release, nil, true)
}

// both renders with the library and with ours, each from a chart of its own,
// as templates may change the values.
func both(t *testing.T, e *engine.Engine, load func() (*chart.Chart, error)) (want, got map[string]string, wantErr, gotErr error) {
	t.Helper()
	for i := range 2 {
		ch, err := load()
		if err != nil {
			t.Skip(err)
		}
		top, err := prepared(ch, map[string]any{})
		if err != nil {
			t.Skip(err)
		}
		if i == 0 {
			want, wantErr = helmengine.Engine{}.Render(ch, top)
			continue
		}
		var out []engine.Output
		out, gotErr = e.Render(t.Context(), ch, top)
		got = map[string]string{}
		for _, o := range out {
			got[o.Name] = o.Text
		}
	}
	return want, got, wantErr, gotErr
}

func compare(t *testing.T, e *engine.Engine, load func() (*chart.Chart, error)) {
	t.Helper()
	want, got, wantErr, gotErr := both(t, e, load)
	if (wantErr != nil) != (gotErr != nil) {
		t.Fatalf("the library says %v, ours %v", wantErr, gotErr)
	}
	if wantErr != nil {
		t.Logf("library: %v\n   ours: %v", wantErr, gotErr)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-library +ours:\n%s", diff)
	}
}

// TestDifferentialFolders renders every chart of the conformance suite and of
// the examples with both engines.
func TestDifferentialFolders(t *testing.T) {
	e := engine.New(engine.Options{})
	count := 0
	for _, root := range []string{"../../../../examples", "../../../../../shared/conformance/render/cases", "../../../../../shared/corpus"} {
		t.Run(root, func(t *testing.T) {
			if _, err := os.Stat(root); err != nil {
				t.Skipf("%s is not here; its charts are not compared", root)
			}
			for _, dir := range chartsBelow(t, root) {
				count++
				t.Run(dir, func(t *testing.T) {
					compare(t, e, func() (*chart.Chart, error) { return loader.LoadDir(dir) })
				})
			}
		})
	}
	t.Logf("%d charts", count)
}

func chartsBelow(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "Chart.yaml" {
			out = append(out, filepath.Dir(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const chartYAML = "apiVersion: v2\nname: web\nversion: 1.0.0\n"

// oneTemplate is a chart of one template, a few values, files and partials.
func oneTemplate(text string) map[string]string {
	return map[string]string{
		"Chart.yaml": chartYAML + "appVersion: \"2\"\nkeywords: [a, b]\nmaintainers: [{name: x}]\n",
		"values.yaml": `a: {b: {c: 1}, list: [1, two, {x: y}], empty: {}, nothing: null, float: 1.5, yes: true, text: "hello world"}
tpl: '{{ .Values.a.text | upper }}'
deep: '{{ tpl .Values.tpl . }}!'
defines: '{{ define "inner" }}[{{ . }}]{{ end }}{{ include "inner" "x" }}'
`,
		"templates/_helpers.tpl": `{{ define "name" }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}{{ define "labels" -}}
app: {{ include "name" . }}
chart: {{ .Chart.Version }}
{{- end }}{{ define "blank" }}  {{ end }}{{ define "again" }}{{ if gt . 0 }}{{ . }}{{ include "again" (sub . 1 | int) }}{{ end }}{{ end }}
{{ define "forever" }}{{ include "forever" . }}{{ end }}{{ define "calls" }}{{ template "name" . }}{{ end }}`,
		"files/a.txt":                  "one\ntwo\n",
		"files/b.json":                 "{\"x\": 1}",
		"templates/x.yaml":             text,
		"templates/sub/y.yaml":         "{{ .Template.Name }} {{ .Template.BasePath }}",
		"templates/NOTES.txt":          "notes of {{ .Release.Name }}",
		"charts/db/Chart.yaml":         "apiVersion: v2\nname: db\nversion: 0.1.0\n",
		"charts/db/values.yaml":        "size: 1\n",
		"charts/db/templates/d.yaml":   "{{ .Values.size }} {{ .Chart.Name }} {{ .Chart.IsRoot }} {{ .Template.Name }} {{ include \"name\" . }} {{ .Values.global }}",
		"charts/lib/Chart.yaml":        "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n",
		"charts/lib/templates/_l.tpl":  "{{ define \"lib.x\" }}lib {{ .Chart.Name }}{{ end }}",
		"charts/lib/templates/no.yaml": "{{ fail \"a library renders nothing\" }}",
	}
}

// TestDifferential has templates of all sorts.
func TestDifferential(t *testing.T) {
	e := engine.New(engine.Options{})
	for i, text := range templates() {
		t.Run(fmt.Sprintf("%d %s", i, strings.ReplaceAll(text[:min(len(text), 40)], "/", "_")), func(t *testing.T) {
			compare(t, e, func() (*chart.Chart, error) { return chartOf(oneTemplate(text)) })
		})
	}
}
