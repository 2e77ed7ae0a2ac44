package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
)

// TestConcurrent renders one chart with many values at a time: nothing of one
// render is seen in another.
func TestConcurrent(t *testing.T) {
	ch, err := chartOf(oneTemplate(`{{ define "local" }}{{ .Values.who }}{{ end }}{{ include "local" . }} {{ tpl "{{ include \"local\" . }}" . }} {{ tpl "{{ define \"in\" }}{{ .Values.who }}{{ end }}{{ include \"in\" . }}" . }} {{ regexReplaceAll "a+" .Values.who "b" }}`))
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				who := fmt.Sprintf("caa%d-%d", i, j)
				top := map[string]any{"Values": map[string]any{"who": who, "db": map[string]any{}}, "Release": map[string]any{"Name": "r"}}
				outputs, err := e.Render(t.Context(), ch, top)
				if err != nil {
					t.Error(err)
					return
				}
				want := strings.Join([]string{who, who, who, strings.Replace(who, "aa", "b", 1)}, " ")
				for _, o := range outputs {
					if o.Name == "web/templates/x.yaml" && o.Text != want {
						t.Errorf("got %q, want %q", o.Text, want)
					}
				}
			}
		})
	}
	all.Wait()
}

// TestErrors name the innermost file and line, and what is wrong.
func TestErrors(t *testing.T) {
	cases := map[string]struct{ reason, template, want string }{
		"Parse":    {"a template that cannot be parsed", "a: 1\n{{ nope }}", `template web/templates/x.yaml, line 2: cannot parse it: function "nope" not defined`},
		"Fail":     {"the chart's own words", "\n\n{{ fail \"set a: b\" }}", "template web/templates/x.yaml, line 3: set a: b"},
		"Required": {"the chart's own words", "{{ required \"set x\" .Values.none }}", "template web/templates/x.yaml, line 1: set x"},
		"Nil":      {"a field of nothing", "\n{{ .Values.none.x }}", "template web/templates/x.yaml, line 2: nil pointer evaluating interface {}.x"},
		"Included": {"inside of an included file", "{{ include \"web/templates/sub/y.yaml\" (dict) }}", "template web/templates/sub/y.yaml, line 1: nil pointer evaluating interface {}.Name"},
		"Tpl":      {"in a text from the values, at the call", "\n{{ tpl \"\\n\\n{{ .a.b }}\" (dict) }}", "template web/templates/x.yaml, line 2: nil pointer evaluating interface {}.b"},
		"Missing":  {"a template that is not there", "{{ include \"none\" . }}", `template web/templates/x.yaml, line 1: include: template: no template "none" associated with template "gotpl"`},
		"Loop":     {"a limit, where it was reached", "a: 1\n{{ range 9000000000 }}x{{ end }}", "template web/templates/x.yaml, line 2: the templates take more than 5000000 steps"},
	}
	e := engine.New(engine.Options{})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ch, err := chartOf(oneTemplate(tc.template))
			if err != nil {
				t.Fatal(err)
			}
			top, err := prepared(ch, map[string]any{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Render(t.Context(), ch, top)
			var wrong *engine.Error
			if !errors.As(err, &wrong) || err.Error() != tc.want {
				t.Errorf("%s:\ngot  %v\nwant %s", tc.reason, err, tc.want)
			}
		})
	}
}

// TestTemplatesChangeNoChart: charts are shared among renders, of whichever project.
func TestTemplatesChangeNoChart(t *testing.T) {
	for name, template := range map[string]string{
		"Bytes":     `{{ $b := slice (.Files.GetBytes "files/a.txt") 0 0 }}{{ $_ := now.AppendFormat $b "XXXX" }}`,
		"Indexed":   `{{ $b := slice (index .Files "files/a.txt") 0 0 }}{{ $_ := now.AppendFormat $b "XXXX" }}`,
		"Ranged":    `{{ range $n, $b := .Files }}{{ $_ := now.AppendText (mustSlice $b 0 1) }}{{ end }}`,
		"Keywords":  `{{ sortAlpha .Chart.Keywords }}`,
		"WholeList": `{{ $b := slice (index .Files "files/a.txt") 0 }}{{ $_ := now.AppendFormat $b "XXXX" }}`,
	} {
		t.Run(name, func(t *testing.T) {
			files := oneTemplate(template)
			files["Chart.yaml"] = "apiVersion: v2\nname: web\nversion: 1.0.0\nkeywords: [z, a]\n"
			files["files/a.txt"] = "the chart's own text"
			ch, err := chartOf(files)
			if err != nil {
				t.Fatal(err)
			}
			top, err := prepared(ch, map[string]any{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := engine.New(engine.Options{}).Render(t.Context(), ch, top); err != nil {
				t.Fatal(err)
			}
			if ch.Metadata.Keywords[0] != "z" {
				t.Errorf("its keywords are %v", ch.Metadata.Keywords)
			}
			for _, f := range ch.Files {
				if f.Name == "files/a.txt" && string(f.Data) != "the chart's own text" {
					t.Errorf("its file is %q", f.Data)
				}
			}
		})
	}
}
