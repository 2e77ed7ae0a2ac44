package directory

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func sourceOf(t testing.TB, files treetest.Files, spec v1alpha1.ApplicationSourceDirectory) *source.Source {
	t.Helper()
	s := &source.Source{
		Path: "app", Env: environ.Env{"ARGOCD_APP_NAME": environ.Text("web")},
		Tree: record.Wrap(t.Context(), treetest.Snapshot("r", "1", files), record.Limits{}),
	}
	s.Spec.Directory = &spec
	return s
}

func TestList(t *testing.T) {
	files := treetest.Files{}
	for _, name := range []string{"app/a.yaml", "app/b.yml", "app/c.json", "app/d.jsonnet", "app/.hidden.yaml", "app/readme.md", "app/lib.libsonnet", "app/sub/e.yaml", "app/sub/deep/f.yaml", "other.yaml"} {
		files[name] = ""
	}
	top := []string{"app/.hidden.yaml", "app/a.yaml", "app/b.yml", "app/c.json", "app/d.jsonnet"}
	cases := map[string]struct {
		reason string
		spec   v1alpha1.ApplicationSourceDirectory
		want   []string
	}{
		"Flat":    {"manifests of the folder itself", v1alpha1.ApplicationSourceDirectory{}, top},
		"Recurse": {"those of folders below", v1alpha1.ApplicationSourceDirectory{Recurse: true}, append(top[:5:5], "app/sub/deep/f.yaml", "app/sub/e.yaml")},
		"Include": {"the path is relative and an asterisk crosses slashes", v1alpha1.ApplicationSourceDirectory{Recurse: true, Include: "{a.yaml,sub/*.yaml}"}, []string{"app/a.yaml", "app/sub/deep/f.yaml", "app/sub/e.yaml"}},
		"Exclude": {"exclude beats include", v1alpha1.ApplicationSourceDirectory{Recurse: true, Include: "*.yaml", Exclude: "sub/*"}, []string{"app/.hidden.yaml", "app/a.yaml"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := list(t.Context(), sourceOf(t, files, tc.spec))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMaxBytes(t *testing.T) {
	files := treetest.Files{"app/a.yaml": "kind: A\n", "app/b.yaml": "kind: B\n"}
	if _, err := (Renderer{MaxBytes: 16}).Render(t.Context(), sourceOf(t, files, v1alpha1.ApplicationSourceDirectory{})); err != nil {
		t.Error(err)
	}
	_, err := (Renderer{MaxBytes: 15}).Render(t.Context(), sourceOf(t, files, v1alpha1.ApplicationSourceDirectory{}))
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Where.File != "app/b.yaml" {
		t.Errorf("more than the bound: %v", err)
	}
}

func TestJsonnet(t *testing.T) {
	files := treetest.Files{
		"app/a.jsonnet":              "local lib = import 'lib.libsonnet'; local s = importstr 's.txt';\nfunction(tla) { kind: 'A', x: lib.x, s: s, tla: tla, v: std.extVar('v'), c: std.extVar('c') }",
		"app/s.txt":                  "text",
		"vendor/lib.libsonnet":       "{ x: (import 'more/deep.libsonnet') }",
		"vendor/more/deep.libsonnet": "7",
	}
	spec := v1alpha1.ApplicationSourceDirectory{Jsonnet: v1alpha1.ApplicationSourceJsonnet{
		Libs: []string{"vendor"}, TLAs: []v1alpha1.JsonnetVar{{Name: "tla", Value: "$ARGOCD_APP_NAME"}},
		ExtVars: []v1alpha1.JsonnetVar{{Name: "v", Value: "1"}, {Name: "c", Value: "1", Code: true}},
	}}
	got, err := Renderer{}.Render(t.Context(), sourceOf(t, files, spec))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"kind": "A", "x": int64(7), "s": "text", "tla": "web", "v": "1", "c": int64(1)}
	if diff := cmp.Diff(want, got[0].Object.Object); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// FuzzDirectory reads files that users write: it may fail, with a Problem,
// but not panic.
func FuzzDirectory(f *testing.F) {
	f.Add("a.yaml", "kind: A\n---\nkind: List\nitems: [{kind: B}, 1]\n")
	f.Add("a.json", `{"kind":"A"} {"kind":"B"}`)
	f.Add("a.yaml", "apiVersion: v1\nkind: A\nmetadata: [")
	f.Fuzz(func(t *testing.T, name, text string) {
		if name != "a.json" {
			name = "a.yaml"
		}
		got, err := Renderer{}.Render(t.Context(), sourceOf(t, treetest.Files{"app/" + name: text}, v1alpha1.ApplicationSourceDirectory{}))
		var p *gitops.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("no Problem: %v", err)
		}
		for _, m := range got {
			if m.Object.GetKind() == "" && m.Origin.Line == 0 {
				t.Fatalf("an object without a place: %v", m)
			}
		}
	})
}
