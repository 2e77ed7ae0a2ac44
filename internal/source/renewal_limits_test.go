package source

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

// often does something again and again until the test ends.
func often(t *testing.T, do func()) {
	t.Helper()
	end := make(chan struct{})
	var g sync.WaitGroup
	g.Go(func() {
		next := time.NewTicker(5 * time.Millisecond)
		defer next.Stop()
		for {
			select {
			case <-end:
				return
			case <-next.C:
				do()
			}
		}
	})
	t.Cleanup(func() {
		close(end)
		g.Wait()
	})
}

// TestRenewalsHoldUpNoOther has a repository looked up again and again by one who
// does not wait for it, and another project read it all the same: what is known,
// and what was pushed before that asks for a look itself.
func TestRenewalsHoldUpNoOther(t *testing.T) {
	for name, again := range map[string]func(*Registry, gitops.SourceRef){
		"Renew":   func(r *Registry, red gitops.SourceRef) { r.Renew(red) },
		"Refresh": func(r *Registry, red gitops.SourceRef) { r.Refresh(red.RepoURL) },
	} {
		for mode, runs := range map[string]bool{"Running": true, "Asked": false} {
			t.Run(name+mode, func(t *testing.T) {
				dir := newRepository(t)
				server := newGitServer(t, filepath.Dir(dir))
				server.only(func(req *http.Request) bool {
					if strings.HasSuffix(req.URL.Path, "/info/refs") {
						<-time.After(50 * time.Millisecond)
					}
					return true
				})
				r := newRegistry(t, Options{Interval: time.Hour})
				if runs {
					start(t, r)
				}
				red := gitops.SourceRef{RepoURL: server.URL + "/repo", Revision: "main", Project: "red"}
				blue := red
				blue.Project = "blue"
				snap(t, r, red)
				often(t, func() { again(r, red) })
				ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
				defer cancel()
				if _, err := r.Snapshot(ctx, blue); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					want := commit(t, dir)
					r.Renew(blue)
					if s, err := r.Snapshot(ctx, blue); err != nil || s.Revision != want {
						t.Fatalf("what was pushed before is not found: %v", err)
					}
				}
			})
		}
	}
}

// counted is a repository that red and blue use, whose looks are counted.
func counted(t *testing.T, now *time.Time) (p *repo, looks *int) {
	t.Helper()
	r := newRegistry(t, Options{Interval: time.Hour, Clock: func() time.Time { return *now }})
	p, err := r.repo(gitops.SourceRef{RepoURL: "https://git.example.org/shared"})
	if err != nil {
		t.Fatal(err)
	}
	looks = new(int)
	p.origin = origin{look: func(context.Context, account) (view, error) {
		*looks++
		return movedView("elsewhere"), nil
	}}
	for _, project := range []string{"red", "blue"} {
		current(t, p, project)
	}
	return p, looks
}

func current(t *testing.T, p *repo, project string) {
	t.Helper()
	if _, err := p.current(t.Context(), asked{"https://git.example.org/shared", project}, want{}); err != nil {
		t.Fatal(err)
	}
}

// TestRenewalsArePaced has a project look up a repository more often than it may
// where others use it, too. Others look at once, and wait for none of it.
func TestRenewalsArePaced(t *testing.T) {
	now := time.Now()
	p, looks := counted(t, &now)
	held := func(project string) time.Duration {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.pause(project)
	}
	for i := range renewBurst {
		p.renewFor("red")
		p.renewFor("red") // is the same look
		current(t, p, "blue")
		current(t, p, "red")
		if *looks != i+2 {
			t.Fatalf("%d looks after %d renewals", *looks, i+1)
		}
	}
	p.due = false // as the poller has it, that has seen to these
	p.renewFor("red")
	current(t, p, "blue")
	if held("red") != renewPause || held("blue") > 0 || *looks != renewBurst+1 {
		t.Errorf("red waits %s, blue %s, after %d looks", held("red"), held("blue"), *looks)
	}
	p.mu.Lock()
	in := p.dueIn()
	p.mu.Unlock()
	if in != renewPause {
		t.Errorf("the poller looks in %s", in)
	}
	p.renewFor("blue")
	current(t, p, "blue")
	current(t, p, "red")
	if *looks != renewBurst+2 {
		t.Errorf("blue's look is none for red: %d", *looks)
	}
	p.renewFor("red")
	now = now.Add(2 * renewPause)
	current(t, p, "red")
	if *looks != renewBurst+3 {
		t.Errorf("no look after the pause: %d", *looks)
	}
}

// TestRenewalsOfWhoIsAlone are not paced: they cost nobody else.
func TestRenewalsOfWhoIsAlone(t *testing.T) {
	now := time.Now()
	p, looks := counted(t, &now)
	now = now.Add(keepUnused - time.Minute)
	current(t, p, "red")
	now = now.Add(2 * time.Minute)
	p.expire()
	*looks = 0
	for range 3 * renewBurst {
		p.renewFor("red")
		current(t, p, "red")
	}
	if *looks != 3*renewBurst {
		t.Errorf("%d looks, want %d", *looks, 3*renewBurst)
	}
	p.renewFor("green")
	current(t, p, "red")
	p.renewFor("red")
	current(t, p, "red")
	p.expire()
	if _, kept := p.renewals["green"]; kept {
		t.Error("what was asked for a project that does not use it is kept")
	}
}

// TestRenewLooksUpWhatCanBe renews nothing for who names something that is none.
func TestRenewLooksUpWhatCanBe(t *testing.T) {
	now := time.Now()
	p, _ := counted(t, &now)
	ref := gitops.SourceRef{RepoURL: "https://git.example.org/shared", Project: "red"}
	broken := ref
	broken.Chart = "../x"
	p.registry.Renew(ref, broken)
	if p.due {
		t.Error("a look is due for an application that cannot be read")
	}
	p.registry.Renew(ref)
	if !p.due {
		t.Error("none is due for one that can be")
	}
}

// plain is a view of one content.
type plain struct{ name string }

func (v *plain) snapshot(context.Context, want, account) (*gitops.Snapshot, error) {
	return &gitops.Snapshot{Revision: v.name, Commit: &gitops.Commit{}}, nil
}

// TestAnswersInOtherViews has somebody come while there is always another one that
// resolves the same in another view: they wait for one of these.
func TestAnswersInOtherViews(t *testing.T) {
	now := time.Now()
	p, _ := counted(t, &now)
	ended := make(chan struct{})
	close(ended)
	p.answers[want{}].flight = &resolving{view: &plain{"theirs"}, ended: ended}
	s, err := p.answer(t.Context(), &plain{"ours"}, want{})
	if err != nil || s.Revision != "ours" {
		t.Errorf("got %v, %v", s, err)
	}
}

// TestEachWantHasItsTurn has a look end with another view whenever something is
// resolved: what comes last is resolved all the same.
func TestEachWantHasItsTurn(t *testing.T) {
	now := time.Now()
	p, _ := counted(t, &now)
	last := want{revision: "last"}
	p.use(asked{"https://git.example.org/shared", "red"}, last)
	p.view = &moving{p: p, left: 3}
	p.renew(t.Context(), "red", func() []want { return []want{{}, last} })
	if got := p.answers[last]; got.snap == nil || p.view.(*moving).left != 0 {
		t.Errorf("it is %v", got)
	}
}

// moving is a view after which comes another one, so many times.
type moving struct {
	p    *repo
	left int
}

func (v *moving) snapshot(_ context.Context, w want, _ account) (*gitops.Snapshot, error) {
	if w.revision == "" && v.left > 0 {
		v.p.mu.Lock()
		v.p.view = &moving{p: v.p, left: v.left - 1}
		v.p.mu.Unlock()
	}
	return &gitops.Snapshot{Commit: &gitops.Commit{}}, nil
}
