package lookup

import (
	"errors"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
)

func TestRememberedAnswers(t *testing.T) {
	host := &gitHost{}
	host.now(nil, pull(1, "a"))
	clock := time.Unix(0, 0)
	h := NewHosts(host, wake.FloodPause)
	h.now = func() time.Time { return clock }
	minute := int64(60)
	g := &v1alpha1.PullRequestGenerator{RequeueAfterSeconds: &minute, Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: "web", API: "https://git.corp"}}
	ask := func() {
		t.Helper()
		r, err := h.Reviews(t.Context(), "argocd", g)
		if err == nil {
			_, _ = r.PullRequests(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		reason string
		do     func()
		want   int
	}{
		{"the first time", func() {}, 1},
		{"an expansion for another reason asks no host", func() {}, 1},
		{"nor an event about another repository", func() {
			h.Outdate(generate.HostEvent{Host: "github", Address: "https://git.corp/org/db", Path: "org/db", PullRequest: true})
		}, 1},
		{"an event about this one does", func() {
			h.Outdate(generate.HostEvent{Host: "github", Address: "https://git.corp/org/web", Path: "org/web", PullRequest: true})
		}, 2},
		{"nor what another set read is read anew", func() {
			h.Want("argocd", generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: "db"}}}})
			h.Want("elsewhere", generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{g}})
		}, 2},
		{"but what this one read is", func() { h.Want("argocd", generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{g}}) }, 3},
		{"and the time that the generator asks for", func() { clock = clock.Add(time.Minute) }, 4},
		{"a failure is not remembered", func() { clock = clock.Add(time.Minute); host.now(errors.New("down")) }, 5},
		{"so it is tried again", func() {}, 6},
	} {
		step.do()
		ask()
		if host.asked != step.want {
			t.Errorf("%s: asked %d times, want %d", step.reason, host.asked, step.want)
		}
	}
}
