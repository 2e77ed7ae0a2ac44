package argocd

import (
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// commitOf is a commit's own name.
func commitOf(letter string) string { return strings.Repeat(letter, 40) }

// mixed has an Application of a chart and two repositories, which was of others before.
func mixed() *world {
	chart := v1alpha1.ApplicationSource{RepoURL: "https://example.com/r", Chart: "web", TargetRevision: "1.x"}
	repo := v1alpha1.ApplicationSource{RepoURL: "https://example.com/r", TargetRevision: "main"}
	other := v1alpha1.ApplicationSource{RepoURL: "https://example.com/other", TargetRevision: "main"}
	oci := v1alpha1.ApplicationSource{RepoURL: "oci://example.com/r", TargetRevision: "latest"}
	w := newWorld()
	app := w.apps[view.Key{Namespace: "argocd", Name: "web"}]
	app.Spec.Source, app.Spec.Sources = nil, v1alpha1.ApplicationSources{chart, repo, oci}
	app.Status.Sync.Revision, app.Status.Sync.Revisions = "", []string{"v1.2", commitOf("a"), "sha256:a"}
	app.Status.Sync.ComparedTo = v1alpha1.ComparedTo{Sources: app.Spec.Sources}
	app.Status.History = v1alpha1.RevisionHistories{
		{Revision: commitOf("b"), Revisions: []string{"v1.1", commitOf("c"), "sha256:c"}, Sources: v1alpha1.ApplicationSources{chart, repo, oci}},
		{Revisions: []string{"v1.0", commitOf("d")}, Sources: v1alpha1.ApplicationSources{chart, other}},
		{Revisions: []string{"v0.9", commitOf("e")}},
		{Revisions: []string{commitOf("f"), "release"}, Sources: v1alpha1.ApplicationSources{repo, repo}},
		{Revisions: []string{"v0.8"}, Sources: v1alpha1.ApplicationSources{chart, repo}},
		{Revision: "v0.7", Source: chart},
	}
	app.Status.OperationState = &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Revisions: []string{"v1.3", commitOf("1")}, Sources: v1alpha1.ApplicationSources{chart, repo}}}
	return w
}

// TestRevisionsAreOfTheirSource has a reader, who may not name what another source was at.
func TestRevisionsAreOfTheirSource(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, source, revision string
		known, named             bool
	}{
		"Version":         {reason: "a chart's version that it is at", source: "1", revision: "v1.2", known: true},
		"VersionBefore":   {reason: "one that it was at", source: "1", revision: "v1.1", known: true},
		"VersionAlone":    {reason: "one from when there was one source", source: "1", revision: "v0.7", known: true},
		"VersionSynced":   {reason: "one that a sync took", source: "1", revision: "v1.3", known: true},
		"VersionOfRepo":   {reason: "what is the chart's version is a branch of a repository", source: "2", revision: "v1.2"},
		"OldOfRepo":       {reason: "and what was one", source: "2", revision: "v1.1"},
		"Commit":          {reason: "a commit that it is at", source: "2", revision: commitOf("a"), known: true},
		"CommitBefore":    {reason: "a commit that it was at", source: "2", revision: commitOf("c"), known: true},
		"CommitSynced":    {reason: "a commit that a sync took", source: "2", revision: commitOf("1"), known: true},
		"CommitOfChart":   {reason: "a repository's commit is no version of a chart", source: "1", revision: commitOf("a")},
		"Elsewhere":       {reason: "a commit of another repository", source: "2", revision: commitOf("d")},
		"OtherSource":     {reason: "a commit that another source was at", source: "2", revision: commitOf("f")},
		"Sourceless":      {reason: "a commit of no source that is known", source: "2", revision: commitOf("e")},
		"Whole":           {reason: "what is of one source is of none of several", source: "2", revision: commitOf("b")},
		"Branch":          {reason: "a branch that it was at may be another one now", source: "2", revision: "release"},
		"Short":           {reason: "a part of a commit's name", source: "2", revision: commitOf("a")[:12]},
		"Digest":          {reason: "a digest that it was at", source: "3", revision: "sha256:c", known: true},
		"SpecOfSource":    {reason: "what the spec names for it", source: "2", revision: "main", named: true},
		"SpecOfAnother":   {reason: "what the spec names for another", source: "2", revision: "1.x"},
		"NoRevisionOfOne": {reason: "sources beyond the revisions had none", source: "2", revision: "v0.8"},
	} {
		t.Run(name, func(t *testing.T) {
			want := http.StatusForbidden
			if tc.known || tc.named {
				want = http.StatusOK
			}
			h := mixed().handler(t)
			if w := send(t, h, "reader", "GET", "/v1/applications/web/manifests?revisions="+tc.revision+"&sourcePositions="+tc.source, ""); w.Code != want {
				t.Errorf("%s: manifests are %d %s", tc.reason, w.Code, w.Body)
			}
			if want = http.StatusNotFound; tc.known {
				want = http.StatusOK
			}
			index := map[string]string{"1": "0", "2": "1", "3": "2"}[tc.source]
			if w := send(t, h, "reader", "GET", "/v1/applications/web/revisions/"+tc.revision+"/metadata?sourceIndex="+index, ""); w.Code != want {
				t.Errorf("%s: its commit is %d %s", tc.reason, w.Code, w.Body)
			}
		})
	}
}
