package helm

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func chartFiles() treetest.Files {
	return treetest.Files{
		"web/Chart.yaml":        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/values.yaml":       "a: chart\n",
		"web/templates/cm.yaml": "kind: ConfigMap\nmetadata: {name: web}\ndata: {{ toJson .Values }}\n",
		"values/a.yaml":         "a: a\n",
		"values/b.yaml":         "a: b\n",
		"values/c.yaml":         "a: c\n",
	}
}

func sourceOf(t testing.TB, files treetest.Files, spec v1alpha1.ApplicationSourceHelm, facts gitops.Facts) *source.Source {
	t.Helper()
	s := &source.Source{
		Name: "app", Namespace: "ns", Project: "team", Path: "web",
		Tree:  record.Wrap(t.Context(), treetest.Snapshot("https://git.example.com/r", "1", files), record.Limits{}),
		Env:   environ.Env{"ARGOCD_APP_NAME": environ.Text("app")},
		Facts: record.WrapFacts(facts),
	}
	s.Spec.Helm = &spec
	return s
}

func data(t *testing.T, r *Renderer, s *source.Source) map[string]any {
	t.Helper()
	got, err := r.Render(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := got[len(got)-1].Object.Object["data"].(map[string]any)
	return out
}

// TestStrength tells which of the ways to give a value wins.
func TestStrength(t *testing.T) {
	parameter := []v1alpha1.HelmParameter{{Name: "a", Value: "parameter"}}
	cases := map[string]struct {
		reason string
		spec   v1alpha1.ApplicationSourceHelm
		want   any
	}{
		"Chart":      {"the chart's values", v1alpha1.ApplicationSourceHelm{}, "chart"},
		"LastFile":   {"the last file", v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/b.yaml", "../values/a.yaml"}}, "a"},
		"FirstPlace": {"a file that is named twice has its first place", v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/b.yaml", "/values/a.yaml", "../values/b.yaml"}}, "a"},
		"Glob":       {"the last of a glob", v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/*.yaml"}}, "c"},
		"GlobNamed":  {"a file named by itself is left out of a glob", v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/c.yaml", "../values/*.yaml"}}, "b"},
		"Text":       {"text beats files", v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/a.yaml"}, Values: "a: text"}, "text"},
		"Parameter":  {"parameters beat text", v1alpha1.ApplicationSourceHelm{Values: "a: text", Parameters: parameter}, "parameter"},
		"File":       {"file parameters beat parameters", v1alpha1.ApplicationSourceHelm{Parameters: parameter, FileParameters: []v1alpha1.HelmFileParameter{{Name: "a", Path: "../values/a.yaml"}}}, "a: a\n"},
		"Force":      {"a forced text stays one", v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{{Name: "a", Value: "1", ForceString: true}}}, "1"},
		"Typed":      {"a number becomes one", v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{{Name: "a", Value: "1"}}}, int64(1)},
		"Commas":     {"commas stay, escaped ones too", v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{{Name: "a", Value: `x,y\,z`}}}, "x,y,z"},
		"Null":       {"null takes the chart's value away", v1alpha1.ApplicationSourceHelm{Values: "a: null"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := data(t, New(Options{}), sourceOf(t, chartFiles(), tc.spec, gitops.Facts{}))
			if diff := cmp.Diff(tc.want, got["a"]); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

type fakeFiles map[string]string

func (f fakeFiles) File(_ context.Context, url string, _ source.Rule) ([]byte, error) {
	text, ok := f[url]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func TestValueFileURL(t *testing.T) {
	spec := v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"https://user:secret@files.example.com/$ARGOCD_APP_NAME.yaml"}}
	files := fakeFiles{"https://user:secret@files.example.com/app.yaml": "a: url"}
	if got := data(t, New(Options{Files: files}), sourceOf(t, chartFiles(), spec, gitops.Facts{})); got["a"] != "url" {
		t.Errorf("a value file by URL gives %v", got)
	}
	for name, r := range map[string]*Renderer{"without a fetcher": New(Options{}), "missing": New(Options{Files: fakeFiles{}})} {
		_, err := r.Render(t.Context(), sourceOf(t, chartFiles(), spec, gitops.Facts{}))
		var p *gitops.Problem
		if !errors.As(err, &p) || strings.Contains(p.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	spec.IgnoreMissingValueFiles = true
	if got := data(t, New(Options{Files: fakeFiles{}}), sourceOf(t, chartFiles(), spec, gitops.Facts{})); got["a"] != "chart" {
		t.Errorf("a missing one may be ignored: %v", got)
	}
}

func TestDependencyOnItself(t *testing.T) {
	circle := chartFiles().With("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: other, version: 1.0.0, repository: \"file://../web\"}\n")
	_, err := New(Options{}).Render(t.Context(), sourceOf(t, circle, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
	if err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a chart that depends on itself: %v", err)
	}
}

// TestCapabilities tells what templates see of the cluster.
func TestCapabilities(t *testing.T) {
	facts := gitops.Facts{KubeVersion: "1.33.2", APIVersions: []string{"x/v1"}}
	cases := map[string]struct {
		reason, template string
		spec             v1alpha1.ApplicationSourceHelm
		want             string
	}{
		"Version":  {"the cluster's version", "{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion.GitVersion }} {{ .Capabilities.KubeVersion }} {{ .Capabilities.KubeVersion.Minor }}", v1alpha1.ApplicationSourceHelm{}, "v1.33.2 v1.33.2 v1.33.2 33"},
		"Override": {"the application's version", "{{ .Capabilities.KubeVersion.Version }}", v1alpha1.ApplicationSourceHelm{KubeVersion: "1.20"}, "v1.20"},
		"Has":      {"the cluster's versions and Helm's own", `{{ .Capabilities.APIVersions.Has "x/v1" }} {{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.APIVersions.Has "y/v1" }}`, v1alpha1.ApplicationSourceHelm{}, "true true false"},
		"HasOther": {"the application's versions instead", `{{ .Capabilities.APIVersions.Has "x/v1" }} {{ .Capabilities.APIVersions.Has "y/v1" }}`, v1alpha1.ApplicationSourceHelm{APIVersions: []string{"y/v1"}}, "false true"},
		"List":     {"the list as a list", `{{ has "x/v1" .Capabilities.APIVersions }} {{ .Capabilities.APIVersions.Has "x/v1" }}`, v1alpha1.ApplicationSourceHelm{}, "true true"},
		"Helm":     {"the version of Helm", `{{ hasPrefix "v4" .Capabilities.HelmVersion.Version }}`, v1alpha1.ApplicationSourceHelm{}, "true"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := chartFiles().With("web/templates/cm.yaml", "kind: ConfigMap\nmetadata: {name: web}\ndata: {a: '"+tc.template+"'}\n")
			got := data(t, New(Options{}), sourceOf(t, files, tc.spec, facts))
			if got["a"] != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got["a"], tc.want)
			}
		})
	}
}

// FuzzValues merges what users write over a chart's values: it may fail, with
// a Problem, but not panic.
func FuzzValues(f *testing.F) {
	f.Add("a: {b: c}", "a.b", "1", "a: [1]")
	f.Add("a: null\n---\nb: 1", "a[0].b", "{x,y}", "a: &x {y: 1}\nb: *x")
	f.Add("", "a\\.b", "null", "x: on")
	f.Fuzz(func(t *testing.T, file, name, value, text string) {
		files := chartFiles().With("values/a.yaml", file)
		spec := v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/a.yaml"}, Values: text, Parameters: []v1alpha1.HelmParameter{{Name: name, Value: value}}}
		s := sourceOf(t, files, spec, gitops.Facts{})
		_, err := New(Options{}).values(t.Context(), s, &spec)
		var p *gitops.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("no Problem: %v", err)
		}
	})
}
