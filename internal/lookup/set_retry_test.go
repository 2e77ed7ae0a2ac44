package lookup

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
)

// asksFor is a generator of sets that all ask for the pull requests of one repository.
type asksFor struct {
	hosts *Hosts
	asks  *v1alpha1.PullRequestGenerator
	// meanwhile is what happens while the host is asked.
	meanwhile func()
}

func (a asksFor) Applications(ctx context.Context, _ *v1alpha1.ApplicationSet) (*generate.Expansion, error) {
	out := &generate.Expansion{Reads: generate.Reads{Again: usual}}
	r, err := a.hosts.Reviews(ctx, "argocd", a.asks)
	if err != nil {
		return out, err
	}
	pulls, err := r.PullRequests(ctx)
	for _, pull := range pulls {
		out.Params = append(out.Params, generate.Params{"sha": pull.HeadSHA})
	}
	if a.meanwhile != nil {
		a.meanwhile()
	}
	return out, err
}

// TestEventsAskHostsInTurn has strangers tell of a repository without end, and its
// set be looked at for whatever reason: the host is asked for the first events at
// once, and then in turn, and the last event is not lost.
func TestEventsAskHostsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &gitHost{}
		host.now(nil, pull(1, "a"))
		h := NewHosts(host, wake.FloodPause)
		day := int64(24 * 60 * 60)
		asks := asksFor{hosts: h, asks: &v1alpha1.PullRequestGenerator{RequeueAfterSeconds: &day, Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: "web"}}}
		event := generate.HostEvent{Host: "github", Path: "org/web", PullRequest: true}
		look := func() *generate.Expansion {
			t.Helper()
			out, err := Makeshift{asks}.Applications(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		look()
		for i := range wake.FloodBurst {
			if h.Outdate(event); look().Reads.Again != usual || host.asked != i+2 {
				t.Fatalf("for event %d the host was not asked at once: %d times", i, host.asked)
			}
		}
		const hour, apart = time.Hour, time.Second
		host.asked = 0
		for range hour / apart {
			time.Sleep(apart)
			h.Outdate(event)
			look()
		}
		if most := int(hour/wake.FloodPause) + 1; host.asked > most || host.asked < most/2 {
			t.Errorf("within an hour of events the host was asked %d times, want %d at most", host.asked, most)
		}

		host.now(nil, pull(1, "b"))
		h.Outdate(event)
		out := look()
		if again := out.Reads.Again; again <= 0 || again > wake.FloodPause {
			t.Fatalf("the set is expanded once more in %s", again)
		}
		time.Sleep(out.Reads.Again)
		if out = look(); out.Reads.Again != usual || out.Params[0]["sha"] != pull(1, "b").HeadSHA {
			t.Errorf("then it shows %v, and comes again in %s", out.Params, out.Reads.Again)
		}
	})
}

// TestSlowLooksMissNothing has an expansion take so long that its turn comes
// meanwhile, and another set takes it: what it made do with is still old.
func TestSlowLooksMissNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &gitHost{}
		h := NewHosts(host, wake.FloodPause)
		asks := asksFor{hosts: h, asks: &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: "web"}}}
		other := Makeshift{asks}
		look := func(set Makeshift) time.Duration {
			out, err := set.Applications(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return out.Reads.Again
		}
		for range wake.FloodBurst + 1 {
			look(other)
			h.Outdate(generate.HostEvent{Host: "github", Path: "org/web", PullRequest: true})
		}
		asks.meanwhile = func() {
			time.Sleep(2 * wake.FloodPause)
			if again := look(other); again != usual {
				t.Errorf("the other set has to come again in %s", again)
			}
		}
		if again := look(Makeshift{asks}); again != soonest {
			t.Errorf("the set is expanded once more in %s", again)
		}
	})
}

// TestRefreshesAskHostsInTurn has people want a set read again without end.
func TestRefreshesAskHostsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &gitHost{}
		h := NewHosts(host, wake.FloodPause)
		github := func(repo string) *v1alpha1.PullRequestGenerator {
			return &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: repo}}
		}
		look := func(repo string, want int) {
			t.Helper()
			if _, err := (asksFor{hosts: h, asks: github(repo)}).Applications(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if host.asked != want {
				t.Errorf("the host was asked %d times, want %d", host.asked, want)
			}
		}
		refresh := func(repo string, want int) {
			t.Helper()
			h.Want("argocd", generate.Reads{Reviews: []*v1alpha1.PullRequestGenerator{github(repo)}})
			look(repo, want)
		}
		refresh("web", 1) // nothing was known
		for i := range anewBurst {
			refresh("web", i+2)
		}
		for range 100 {
			refresh("web", anewBurst+1)
		}
		refresh("db", anewBurst+2)
		refresh("db", anewBurst+3)
		time.Sleep(anewEvery)
		look("web", anewBurst+4) // what was asked for in between is not lost
		refresh("web", anewBurst+4)
	})
}

// TestAnswersOfWhoDoesNotLead are kept for a short time: refreshes arrive elsewhere.
func TestAnswersOfWhoDoesNotLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, leads := &gitHost{}, make(chan struct{})
		h := NewHosts(host, wake.FloodPause)
		h.Elected = leads
		asks := asksFor{hosts: h, asks: &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "org", Repo: "web"}}}
		for i, step := range []struct {
			reason string
			before func()
			want   int
		}{
			{"nothing is known", func() {}, 1},
			{"what is known holds for a while", func() { time.Sleep(anewEvery / 2) }, 1},
			{"and not for longer", func() { time.Sleep(anewEvery / 2) }, 2},
			{"now it leads: what it knew before goes the same way", func() { close(leads); time.Sleep(anewEvery) }, 3},
			{"and what it learns stays until somebody says otherwise", func() { time.Sleep(2 * anewEvery) }, 3},
		} {
			step.before()
			if _, err := asks.Applications(t.Context(), nil); err != nil || host.asked != step.want {
				t.Errorf("%d: %s: the host was asked %d times, want %d: %v", i, step.reason, host.asked, step.want, err)
			}
		}
	})
}
