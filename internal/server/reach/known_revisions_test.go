package reach

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestWhatAnApplicationIsRenderedOfIsItsOwn: whatever decides what is rendered makes it
// another one, but for a revision that it had, and how a cluster writes the same.
func TestWhatAnApplicationIsRenderedOfIsItsOwn(t *testing.T) {
	had := strings.Repeat("a", 40)
	made := func() *v1alpha1.Application {
		app := &v1alpha1.Application{}
		app.Spec.Destination = v1alpha1.ApplicationDestination{Name: "dev", Namespace: "web"}
		app.Spec.Source = &v1alpha1.ApplicationSource{
			RepoURL: "https://git.example.com/r", Path: "chart", TargetRevision: "main",
			Helm: &v1alpha1.ApplicationSourceHelm{
				ValueFiles: []string{"a.yaml"}, Parameters: []v1alpha1.HelmParameter{{Name: "a", Value: "1"}},
				ValuesObject: &runtime.RawExtension{Raw: []byte(`{"a":1,"b":2}`)},
			},
		}
		app.Status.History = v1alpha1.RevisionHistories{{Revision: had, Source: *app.Spec.Source}, {Revision: "old", Source: *app.Spec.Source}}
		return app
	}
	for reason, tc := range map[string]struct {
		edit func(app *v1alpha1.Application, s *v1alpha1.ApplicationSource)
		want bool
	}{
		"nothing": {func(*v1alpha1.Application, *v1alpha1.ApplicationSource) {}, true},
		"what is about the Application itself": {func(app *v1alpha1.Application, _ *v1alpha1.ApplicationSource) {
			app.Labels, app.Spec.Info, app.Spec.Project = map[string]string{"a": "b"}, []v1alpha1.Info{{Name: "a"}}, v1alpha1.DefaultProject
		}, true},
		"values in another order": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) {
			s.Helm.ValuesObject, s.Helm.FileParameters = &runtime.RawExtension{Raw: []byte(`{"b": 2, "a": 1}`)}, []v1alpha1.HelmFileParameter{}
		}, true},
		"a commit that it had":        {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.TargetRevision = had }, true},
		"a branch that it had":        {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.TargetRevision = "old" }, false},
		"another branch":              {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.TargetRevision = "refs/pull/1/head" }, false},
		"no revision":                 {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.TargetRevision = "" }, false},
		"another path":                {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.Path = "other" }, false},
		"another path at what it had": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.Path, s.TargetRevision = "other", had }, false},
		"another repository": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) {
			s.RepoURL = "https://git.example.com/other"
		}, false},
		"a chart": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.Chart = "web" }, false},
		"another value file": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) {
			s.Helm.ValueFiles[0] = "https://x/a.yaml"
		}, false},
		"another parameter": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.Helm.Parameters[0].Value = "2" }, false},
		"other values":      {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) { s.Helm.Values = "a: 2" }, false},
		"another value": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) {
			s.Helm.ValuesObject.Raw = []byte(`{"a":2,"b":2}`)
		}, false},
		"an edit of the kustomization": {func(_ *v1alpha1.Application, s *v1alpha1.ApplicationSource) {
			s.Kustomize = &v1alpha1.ApplicationSourceKustomize{NamePrefix: "a"}
		}, false},
		"another namespace": {func(app *v1alpha1.Application, _ *v1alpha1.ApplicationSource) {
			app.Spec.Destination.Namespace = "other"
		}, false},
		"another cluster": {func(app *v1alpha1.Application, _ *v1alpha1.ApplicationSource) { app.Spec.Destination.Name = "prod" }, false},
		"another project": {func(app *v1alpha1.Application, _ *v1alpha1.ApplicationSource) { app.Spec.Project = "other" }, false},
		"other paths that a plugin gets": {func(app *v1alpha1.Application, _ *v1alpha1.ApplicationSource) {
			app.Annotations = map[string]string{v1alpha1.AnnotationManifestGeneratePaths: "/"}
		}, false},
		"one more source": {func(app *v1alpha1.Application, s *v1alpha1.ApplicationSource) {
			app.Spec.Sources = v1alpha1.ApplicationSources{*s, *s}
		}, false},
	} {
		as := made()
		tc.edit(as, as.Spec.Source)
		if got := Own(made(), as); got != tc.want {
			t.Errorf("%s: it is its own: %t", reason, got)
		}
	}
}
