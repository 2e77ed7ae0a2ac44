package proxy

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
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

// refusing has nothing, and repeats what it was asked for.
type refusing struct{}

func (refusing) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	return nil, gitops.Problemf(gitops.NotFound, "nothing is at %s", ref.RepoURL)
}

func (refusing) File(_ context.Context, url string, _ source.Rule) ([]byte, error) {
	if strings.HasPrefix(url, "https:") {
		return nil, nil
	}
	return nil, gitops.Problemf(gitops.Forbidden, "the scheme of %s is not allowed", url).At(gitops.Origin{RepoURL: "rules", Revision: revision})
}

// TestWhatAWorkerCausesIsBoundedByBytes: long addresses, again and again, leave no more
// behind than a part of the memory of a render. What comes then has no cause that is found
// again, and lies in the source.
func TestWhatAWorkerCausesIsBoundedByBytes(t *testing.T) {
	h := NewHost([]*gitops.Snapshot{treetest.Snapshot(repo, revision, some())}, Engine{Remotes: refusing{}, Files: refusing{}})
	name := func(scheme string, i int) string {
		return scheme + "://host/" + strconv.Itoa(i) + "/" + strings.Repeat("x", longestName-64)
	}
	ask := func(c Call) *Failure {
		r, _ := h.Answer(t.Context(), c)
		return r.Failure
	}
	const many = 3_000
	var last *Failure
	for i := range many {
		last = ask(Call{Op: opFile, Name: name("ftp", i), Rule: &source.Rule{}})
		ask(Call{Op: opFile, Name: name("https", i), Rule: &source.Rule{}})
	}
	texts, places := 0, 0
	for _, err := range h.failures {
		texts += gitops.Held(err)
	}
	for p := range h.places {
		places += len(p.address) + len(p.revision)
	}
	if len(h.failures) == 0 || texts > maxKept || places > maxKept {
		t.Errorf("%d errors with %d bytes are kept, and %d bytes of places", len(h.failures), texts, places)
	}
	if first := h.Err(&Failure{Told: 1}); !gitops.IsProblem(first, gitops.Forbidden) || last.Told != 0 || last.Text == "" {
		t.Errorf("the first error is %v, the last one %d", first, last.Told)
	}
	home := gitops.Origin{RepoURL: repo, Revision: revision}
	for at, want := range map[gitops.Origin]gitops.Origin{
		home:                                   home,
		{RepoURL: "rules", Revision: revision}: {RepoURL: "rules", Revision: revision},
		{RepoURL: name("https", 0)}:            {RepoURL: name("https", 0)},
		{RepoURL: name("https", many-1)}:       home,
	} {
		if got := h.Where(at); got != want {
			t.Errorf("%.40s lies in %.40s", at, got)
		}
	}
	for i := range many {
		ask(Call{Op: opSnapshot, Ref: &gitops.SourceRef{RepoURL: name("https", i)}})
	}
	texts = 0
	for ref, a := range h.answers {
		texts += len(ref.RepoURL) + gitops.Held(a.err)
	}
	if len(h.asked) == 0 || texts > maxKept+len(h.asked)*len(errTooMany.Error()) {
		t.Errorf("%d answers with %d bytes are kept", len(h.asked), texts)
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
