package helm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// hook is an object of a chart with the events that it is for.
func hook(name, events string) string {
	return "---\nkind: Job\nmetadata: {name: " + name + ", annotations: {helm.sh/hook: '" + events + "'}}\n"
}

func named(name string) string { return "---\nkind: A\nmetadata: {name: " + name + "}\n" }

// TestWhatOfAChartIsApplied has the objects of a chart in their order, and what is told
// of those that are none of it.
func TestWhatOfAChartIsApplied(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		files   treetest.Files
		spec    v1alpha1.ApplicationSourceHelm
		objects string
		warned  []string
	}{
		"Order": {
			reason:  "definitions first, then objects by the names of their files, hooks last",
			files:   treetest.Files{"web/templates/b.yaml": named("b"), "web/templates/a.yaml": hook("early", "pre-install") + named("a"), "web/crds/c.yaml": named("c")},
			objects: "c a b early",
		},
		"SkipCrds": {
			reason:  "definitions may be somebody else's",
			files:   treetest.Files{"web/templates/a.yaml": named("a"), "web/crds/c.yaml": named("c")},
			spec:    v1alpha1.ApplicationSourceHelm{SkipCrds: true},
			objects: "a",
		},
		"SkipTests": {
			reason:  "a hook that is for a test among others is one",
			files:   treetest.Files{"web/templates/a.yaml": hook("one", "test") + hook("first", "test,post-install") + hook("both", "post-install, TEST-success") + hook("none", "post-install")},
			spec:    v1alpha1.ApplicationSourceHelm{SkipTests: true},
			objects: "none",
		},
		"Unknown": {
			reason:  "what Helm does not know it does not install",
			files:   treetest.Files{"web/templates/a.yaml": hook("old", "crd-install") + hook("empty", "") + hook("part", "pre-install,never") + named("a")},
			objects: "a",
			warned: []string{
				`UnknownHook /Job:/old is left out: Helm knows no hook "crd-install" web/templates/a.yaml:2`,
				`UnknownHook /Job:/empty is left out: Helm knows no hook "" web/templates/a.yaml:5`,
				`UnknownHook /Job:/part is left out: Helm knows no hook "never" web/templates/a.yaml:8`,
			},
		},
		"Notes": {
			reason:  "what a person is told is no object, in whatever file it stands whose name ends so",
			files:   treetest.Files{"web/templates/NOTES.txt": "Have fun: with {{ .Release.Name }}", "web/templates/deep/app-NOTES.txt": "a: [", "web/templates/a.yaml": named("a")},
			objects: "a",
		},
		"Partials": {
			reason:  "templates for others give nothing, nor does one that is off",
			files:   treetest.Files{"web/templates/_helpers.tpl": "{{ define \"x\" }}b{{ end }}", "web/templates/_a.yaml": named("no"), "web/templates/off.yaml": "{{ if false }}" + named("no") + "{{ end }}\n# nothing\n---\n", "web/templates/b.yaml": named(`{{ include "x" . }}`)},
			objects: "b",
		},
		"List": {
			reason:  "a list is what is in it",
			files:   treetest.Files{"web/templates/a.yaml": "apiVersion: v1\nkind: List\nitems:\n- {kind: A, metadata: {name: a}}\n- {kind: A, metadata: {name: b}}\n"},
			objects: "a b",
		},
		"Twice": {
			reason:  "of two values of a key the last counts, and somebody should know",
			files:   treetest.Files{"web/templates/a.yaml": "kind: A\nmetadata:\n  name: a\n  name: b\n"},
			objects: "b",
			warned:  []string{"DuplicateKey the last one counts, in line 4 of the output of web/templates/a.yaml: key \"name\" already set in map web/templates/a.yaml:4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.files["web/Chart.yaml"] = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
			s := sourceOf(t, tc.files, tc.spec, gitops.Facts{})
			got, err := New(Options{}).Render(t.Context(), s)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var objects, warned []string
			for _, m := range got {
				objects = append(objects, m.Object.GetName())
			}
			for _, w := range s.Warnings() {
				warned = append(warned, fmt.Sprintf("%s %s %s", w.Reason, w.Message, w.Origin))
			}
			if diff := cmp.Diff(tc.warned, warned); diff != "" || strings.Join(objects, " ") != tc.objects {
				t.Errorf("%s: got %v; warned is -want +got:\n%s", tc.reason, objects, diff)
			}
		})
	}
}

// TestChartsThatCannotBeRendered: what is wrong is told with its place and what to do.
func TestChartsThatCannotBeRendered(t *testing.T) {
	const head = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
	helm := func(change func(*v1alpha1.ApplicationSourceHelm)) (out v1alpha1.ApplicationSourceHelm) {
		change(&out)
		return out
	}
	for name, tc := range map[string]struct {
		reason string
		file   string
		text   string
		spec   v1alpha1.ApplicationSourceHelm
		says   string
		at     string
	}{
		"Library":     {reason: "a library has nothing to install", file: "web/Chart.yaml", text: head + "type: library\n", says: "it is a library chart", at: "web"},
		"Kubernetes":  {reason: "a chart may want another cluster", file: "web/Chart.yaml", text: head + "kubeVersion: '>=1.40'\n", says: "it wants Kubernetes >=1.40, the cluster has v1.33.2", at: "web"},
		"KubeVersion": {reason: "a version that is none", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.KubeVersion = "latest" }), says: `cannot read helm.kubeVersion "latest"`, at: "web"},
		"Release":     {reason: "objects have the name of the release", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.ReleaseName = "My_App" }), says: `cannot use release name "My_App"`, at: "web"},
		"LongRelease": {reason: "and little room for it", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.ReleaseName = strings.Repeat("a", 54) }), says: "cannot use release name", at: "web"},
		"NoYAML":      {reason: "the line is told, which the library does not", file: "web/Chart.yaml", text: "name: web\n a: b\n", says: "cannot read web/Chart.yaml", at: "web/Chart.yaml:2"},
		"BadValues":   {reason: "also of values", file: "web/values.yaml", text: "a: b\nc: [\n", says: "cannot read web/values.yaml", at: "web/values.yaml:2"},
		"NoVersion":   {reason: "what the library says of a chart", file: "web/Chart.yaml", text: "apiVersion: v2\nname: web\n", says: "chart.metadata.version is required", at: "web"},
		"Output":      {reason: "what a template gives is no YAML", file: "web/templates/a.yaml", text: "{{/* one */}}\nkind: A\nmetadata: {name: a\n", says: "cannot read the output of template web/templates/a.yaml", at: "web/templates/a.yaml:3"},
		"NoObject":    {reason: "or no object", file: "web/templates/a.yaml", text: "\n- a\n", says: "cannot read the output of template web/templates/a.yaml", at: "web/templates/a.yaml:2"},
		"ValueFile":   {reason: "a value file that is not there", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.ValueFiles = []string{"none.yaml"} }), says: "set helm.ignoreMissingValueFiles", at: "web/none.yaml"},
		"BadFile":     {reason: "one that is no YAML", file: "web/v.yaml", text: "a:\n  b: c\n d: e\n", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.ValueFiles = []string{"v.yaml"} }), says: "cannot read web/v.yaml", at: "web/v.yaml:2"},
		"ListFile":    {reason: "one that is no mapping", file: "web/v.yaml", text: "- a\n", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.ValueFiles = []string{"v.yaml"} }), says: "write a YAML mapping", at: "web/v.yaml"},
		"NoMatch":     {reason: "a pattern that matches nothing", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.ValueFiles = []string{"v/*.yaml"} }), says: "no file matches v/*.yaml", at: "web"},
		"Outside":     {reason: "a file of the machine", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.ValueFiles = []string{"../../etc/passwd"} }), says: "the path leaves the repository", at: "web"},
		"Values":      {reason: "what the Application itself says", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) { h.Values = "a: b\n- c\n" }), says: "cannot read helm.values of the application: line 1", at: "web"},
		"FileParam": {reason: "the file of a parameter", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) {
			h.FileParameters = []v1alpha1.HelmFileParameter{{Name: "a", Path: "none"}}
		}), says: "the file of helm parameter a", at: "web/none"},
		"Parameter": {reason: "a parameter into what is no map", spec: helm(func(h *v1alpha1.ApplicationSourceHelm) {
			h.Values, h.Parameters = "a: text", []v1alpha1.HelmParameter{{Name: "a.b[0].c", Value: "x"}}
		}), says: "cannot set helm parameter a.b[0].c", at: "web"},
	} {
		t.Run(name, func(t *testing.T) {
			files := chartFiles()
			if tc.file != "" {
				files[tc.file] = tc.text
			}
			_, err := New(Options{}).Render(t.Context(), sourceOf(t, files, tc.spec, gitops.Facts{KubeVersion: "1.33.2"}))
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(err.Error(), tc.says) || p.Fix == "" {
				t.Fatalf("%s: it says %v", tc.reason, err)
			}
			if at := strings.TrimSuffix(p.Where.String(), ":0"); tc.at != "" && at != tc.at {
				t.Errorf("%s: it is at %s, not at %s", tc.reason, at, tc.at)
			}
		})
	}
}

// TestTextsOfParameters: commas are a value's own, except in a list.
func TestTextsOfParameters(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "a": "a", "a,b": `a\,b`, ",": `\,`, ",,": `\,\,`, `a\,b`: `a\,b`, "{a,b}": "{a,b}", "{a,b": `{a\,b`, "a,b}": `a\,b}`, "{}": "{}", "\u00e9,": `é\,`,
	} {
		if got := escaped(value); got != want {
			t.Errorf("%s is written as %s, want %s", value, got, want)
		}
	}
}
