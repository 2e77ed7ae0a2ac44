package proxy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// TestCredentialsGoWhereTheApplicationSays: a worker says which reference is of a source
// that has its credentials sent to other hosts, and is believed where there is such a source.
func TestCredentialsGoWhereTheApplicationSays(t *testing.T) {
	for _, tc := range []struct {
		reason               string
		passing, said, asked bool
	}{
		{"a source that has them sent", true, true, true},
		{"another source of that Application", true, false, false},
		{"an Application without any, whatever the worker says", false, true, false},
		{"nobody", false, false, false},
	} {
		a := &asked{}
		h := NewHost(nil, Engine{Rule: source.Rule{Project: "ours"}, Remotes: a, Passing: tc.passing})
		ref := gitops.SourceRef{RepoURL: repo, Chart: "c", PassCredentials: tc.said}
		h.Answer(t.Context(), Call{Op: opSnapshot, Ref: &ref})
		want := gitops.SourceRef{RepoURL: repo, Chart: "c", Project: "ours", PassCredentials: tc.asked}
		if a.ref != want {
			t.Errorf("%s: read is %+v, want %+v", tc.reason, a.ref, want)
		}
		if own, given, ok := h.Own(ref); own != want || given != nil || !ok {
			t.Errorf("%s: it is kept as %+v (%v, %v)", tc.reason, own, given, ok)
		}
	}
}

// TestOneAnswerForAReference: what lies elsewhere is the same for all of a render.
func TestOneAnswerForAReference(t *testing.T) {
	h, g, _ := pair(t, some())
	for range 3 {
		for _, ref := range []gitops.SourceRef{{RepoURL: repo}, {RepoURL: repo, Project: "theirs", Anonymous: true, TagPrefix: "v"}, {RepoURL: "other"}} {
			_, _ = g.Snapshot(t.Context(), ref)
		}
	}
	want := []gitops.SourceRef{{RepoURL: repo, Project: "ours"}, {RepoURL: "other", Project: "ours"}}
	if diff := cmp.Diff(want, h.Asked()); diff != "" || len(h.snapshots) != 2 {
		t.Errorf("there are %d trees, and asked was (-want +got):\n%s", len(h.snapshots), diff)
	}
	if _, given, ok := h.Own(gitops.SourceRef{RepoURL: repo}); !ok || given.Revision != revision {
		t.Errorf("given was %v", given)
	}
	if _, _, ok := h.Own(gitops.SourceRef{RepoURL: repo, Revision: "main"}); ok {
		t.Error("nobody asked for that revision")
	}
}

// TestPlacesThatWereGiven: what a worker tells of lies in a source, in what it read
// elsewhere, at an address, or where an error was; else in the source.
func TestPlacesThatWereGiven(t *testing.T) {
	h, g, _ := pair(t, some())
	if _, err := g.File(t.Context(), "https://user:password@h/x", source.Rule{Schemes: []string{"https"}}); err != nil {
		t.Fatal(err)
	}
	at := gitops.Origin{RepoURL: "https://h/wrong", Revision: "v1"}
	h.failure(gitops.Problemf(gitops.NotFound, "no").At(at))
	home := gitops.Origin{RepoURL: repo, Revision: revision}
	for said, want := range map[gitops.Origin]gitops.Origin{
		{}:             {},
		at:             at,
		{File: "none"}: {File: "none"},
		{RepoURL: repo, Revision: revision, File: "a", Line: 1}:       {RepoURL: repo, Revision: revision, File: "a", Line: 1},
		{RepoURL: repo, Revision: revision, Line: -1, Source: -1}:     home,
		{RepoURL: "https://h/x"}:                                      {RepoURL: "https://h/x"},
		{RepoURL: "https://h/y", File: "a"}:                           home,
		{RepoURL: repo, Revision: "2", File: "a"}:                     home,
		{RepoURL: "https://h/wrong", Revision: "v2", Source: 1 << 40}: home,
	} {
		if got := h.Where(said); got != want {
			t.Errorf("%v is %v, want %v", said, got, want)
		}
	}
	if got := h.Where(gitops.Origin{File: strings.Repeat("x", 1<<20)}); len(got.File) > 2*longestName {
		t.Errorf("a name of %d bytes", len(got.File))
	}
	if got := NewHost(nil, Engine{}).Where(home); got != (gitops.Origin{}) {
		t.Errorf("without any source it is %v", got)
	}
}

// TestPluginsHaveTheEnginesVariables: those of the build environment are the engine's,
// whatever a worker says, and a plugin runs in a source alone.
func TestPluginsHaveTheEnginesVariables(t *testing.T) {
	h, g, _ := pair(t, some())
	h.engine.Variables = func(source int) environ.Env {
		return environ.Env{
			"ARGOCD_APP_NAME": environ.Text("web"), "ARGOCD_APP_NAMESPACE": environ.Text("shop"), "ARGOCD_APP_PROJECT_NAME": environ.Text("ours"),
			"ARGOCD_APP_SOURCE_PATH": environ.Text([]string{"app"}[source]), "KUBE_VERSION": environ.Text(""), "KUBE_API_VERSIONS": environ.Text("a\x00b"),
		}
	}
	job := source.Job{Plugin: "p", Tree: g.Open(h.Begin(), nil, nil)[0].Tree, Path: "app", Env: []string{
		"ARGOCD_APP_NAME=other", "ARGOCD_APP_NAME=another", "ARGOCD_APP_NAMESPACE=kube-system", "ARGOCD_APP_PROJECT_NAME", "KUBE_VERSION=1", "ARGOCD_ENV_A=1", "PARAM_B=ARGOCD_APP_NAME=x",
	}}
	said := slices.Clone(job.Env)
	got := h.environment(0, job.Env)
	slices.Sort(got)
	want := []string{"ARGOCD_APP_NAME=web", "ARGOCD_APP_NAMESPACE=shop", "ARGOCD_APP_PROJECT_NAME=ours", "ARGOCD_APP_SOURCE_PATH=app", "ARGOCD_ENV_A=1", "PARAM_B=ARGOCD_APP_NAME=x"}
	if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(job.Env, said) {
		t.Errorf("(-want +got):\n%s", diff)
	}
	printed, err := g.Run(t.Context(), job)
	if text := string(printed.Output); err != nil || !strings.Contains(text, "ARGOCD_APP_NAME=web") || strings.Contains(text, "other") {
		t.Errorf("the plugin has %s, %v", text, err)
	}
	far, err := g.Snapshot(t.Context(), gitops.SourceRef{RepoURL: repo})
	if err != nil {
		t.Fatal(err)
	}
	job.Tree = far.Tree
	if _, err := g.Run(t.Context(), job); err == nil {
		t.Error("a plugin runs in what is no source")
	}
}
