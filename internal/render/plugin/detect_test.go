package plugin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func app(path string, change func(*v1alpha1.Application)) *v1alpha1.Application {
	a := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Name: path, Namespace: "n", Annotations: map[string]string{v1alpha1.AnnotationManifestGeneratePaths: "."}},
		Spec:       v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: origin, Path: path}},
	}
	change(a)
	return a
}

// TestDetection tells that plugins are asked before the files of a source
// are looked at, and never where the application says the type.
func TestDetection(t *testing.T) {
	files := treetest.Files{"claimed/kustomization.yaml": "", "claimed/mark": "", "plain/a.yaml": "kind: Plain\nmetadata: {name: x}\n", "plain/mark.txt": ""}
	p := shell("p", "echo 'kind: Made'")
	p.Discover.FileName = "mark"
	cases := map[string]struct {
		reason, path string
		change       func(*v1alpha1.Application)
		want         gitops.SourceType
	}{
		"Claimed": {"the plugin's, though it is a kustomization", "claimed", func(*v1alpha1.Application) {}, gitops.SourcePlugin},
		"Other":   {"a folder that no plugin claims", "plain", func(*v1alpha1.Application) {}, gitops.SourceDirectory},
		"Explicit": {"a type that is said", "claimed", func(a *v1alpha1.Application) {
			a.Spec.Source.Directory = &v1alpha1.ApplicationSourceDirectory{Exclude: "*"}
		}, gitops.SourceDirectory},
		"Empty": {"a plugin without a name", "claimed", func(a *v1alpha1.Application) { a.Spec.Source.Plugin = &v1alpha1.ApplicationSourcePlugin{} }, gitops.SourcePlugin},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := render.New(render.Options{}, directory.Renderer{}, renderer(t, Options{Plugins: []Plugin{p}}))
			got, err := r.Application(t.Context(), render.Input{App: app(tc.path, tc.change), Snapshots: []*gitops.Snapshot{treetest.Snapshot(origin, revision, files)}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]gitops.SourceType{tc.want}, got.Types); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestKept tells that what a plugin printed is used again while its files
// are the same, and that an error is not.
func TestKept(t *testing.T) {
	files := treetest.Files{"a/mark": "1", "b/mark": "1"}
	p := shell("p", "echo 'kind: Made'")
	broken := shell("broken", "exit 1")
	r := render.New(render.Options{}, renderer(t, Options{Plugins: []Plugin{p, broken}}))
	look := func(path, plugin string, files treetest.Files) (*gitops.Rendering, error) {
		return r.Application(t.Context(), render.Input{
			App:       app(path, func(a *v1alpha1.Application) { a.Spec.Source.Plugin = named(plugin) }),
			Snapshots: []*gitops.Snapshot{treetest.Snapshot(origin, files["a/mark"]+"xxxxxxxxxx", files)},
		})
	}
	for i, tc := range []struct {
		files  treetest.Files
		reused bool
	}{{files, false}, {files, true}, {files.With("b/mark", "2"), true}, {files.With("a/mark", "2"), false}, {files.With("a/mark", "2"), true}} {
		got, err := look("a", "p", tc.files)
		if err != nil || got.Reused != tc.reused {
			t.Errorf("render %d: %+v, %v, want reused %v", i, got, err, tc.reused)
		}
	}
	before := r.Stats().Rendered
	for range 2 {
		if _, err := look("b", "broken", files); err == nil {
			t.Error("no error")
		}
	}
	if got := r.Stats().Rendered - before; got != 2 {
		t.Errorf("%d renders of a broken plugin, want 2", got)
	}
}
