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

// A revision is known of the source that was at it, and of no other: another repository may
// have a commit of the name, and a branch may be another one by now.
func TestRevisionsThatWereDeployed(t *testing.T) {
	const commit, other = "abcdefabcdefabcdefabcdefabcdefabcdefabcd", "0123456789012345678901234567890123456789"
	git, chart := v1alpha1.ApplicationSource{RepoURL: "https://git", TargetRevision: "main"}, v1alpha1.ApplicationSource{RepoURL: "https://charts", Chart: "web", TargetRevision: "1.*"}
	app := &v1alpha1.Application{}
	app.Spec.Sources = v1alpha1.ApplicationSources{git, chart}
	app.Status.Sync = v1alpha1.SyncStatus{Revisions: []string{commit, "1.2.0"}, ComparedTo: v1alpha1.ComparedTo{Sources: app.Spec.Sources}}
	app.Status.History = v1alpha1.RevisionHistories{
		{Revision: other, Source: git}, {Revisions: []string{"main", "1.1.0"}, Sources: app.Spec.Sources}, {Revisions: []string{commit}, Sources: app.Spec.Sources},
		{Revisions: []string{commit, ""}, Sources: app.Spec.Sources}, {Revisions: []string{commit, "0.9.0"}, Sources: v1alpha1.ApplicationSources{git, {RepoURL: "https://charts", Chart: "db"}}},
	}
	app.Status.OperationState = &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Revisions: []string{commit, "1.0.0"}, Sources: v1alpha1.ApplicationSources{git, {RepoURL: "https://others", Chart: "web"}}}}
	for name, tc := range map[string]struct {
		reason     string
		source     int
		revision   string
		had, knows bool
	}{
		"Compared":     {"it is at it", 0, commit, true, true},
		"Before":       {"it was at it, when it had one source", 0, other, true, true},
		"Chart":        {"a version of the chart", 1, "1.1.0", true, true},
		"Swapped":      {"the version of one is none of the other", 0, "1.2.0", false, false},
		"Branch":       {"a branch that it was at may be another one now", 0, "main", false, true},
		"Range":        {"what it asks for it knows, and was not at", 1, "1.*", false, true},
		"Other's":      {"a chart of another repository", 1, "1.0.0", false, false},
		"Short":        {"the beginning of a commit may become the name of a branch", 0, commit[:12], false, false},
		"Capitals":     {"commits are written in small letters", 0, "ABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD", false, false},
		"Other chart":  {"or another chart of the same one", 1, "0.9.0", false, false},
		"Nothing":      {"no revision is none", 1, "", false, false},
		"Commit there": {"a chart has no commits", 1, commit, false, false},
	} {
		if had, knows := Had(app, tc.source, tc.revision), Knows(app, tc.source, tc.revision); had != tc.had || knows != tc.knows {
			t.Errorf("%s: %s: it was at %q: %t, and knows it: %t", name, tc.reason, tc.revision, had, knows)
		}
	}
}
