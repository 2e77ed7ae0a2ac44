package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/test/await"
)

// Who asks while one is being made gets the one after it, which all of them share.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, goOn := newTurns[int](), make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			got, own, err := turns.take("fleet", func() (int, error) { <-goOn; return 1, nil })
			if got != 1 || !own || err != nil {
				t.Error(got, own, err)
			}
		})
		synctest.Wait()
		var made, owners atomic.Int32
		for range 20 {
			all.Go(func() {
				got, own, err := turns.take("fleet", func() (int, error) { made.Add(1); return 2, nil })
				if own {
					owners.Add(1)
				}
				if got != 2 || err != nil {
					t.Errorf("got %d, %v: 1 is older than the question", got, err)
				}
			})
		}
		synctest.Wait()
		close(goOn)
		all.Wait()
		if made.Load() != 1 || owners.Load() != 1 || len(turns.at) != 0 {
			t.Errorf("made %d times by %d, %d turns are left", made.Load(), owners.Load(), len(turns.at))
		}
	})
}

// A turn that fails, or panics, ends all the same: the next one is another.
func TestTurnsThatFail(t *testing.T) {
	turns := newTurns[int]()
	if _, own, err := turns.take("a", func() (int, error) { return 0, errors.New("no") }); !own || err == nil {
		t.Error("the error is gone")
	}
	func() {
		defer func() { _ = recover() }()
		_, _, _ = turns.take("a", func() (int, error) { panic("now") })
	}()
	if got, own, err := turns.take("a", func() (int, error) { return 3, nil }); got != 3 || !own || err != nil {
		t.Error(got, own, err)
	}
}

// Those who saw alike when they asked share what is made only if they still do,
// and nobody gets the error of somebody else.
func TestLatestIsOnesOwn(t *testing.T) {
	for label, c := range map[string]struct {
		reason string
		others outlook[*text]
		want   string
	}{
		"alike":     {"what was made for another who sees the same is shared", outlook[*text]{key: "mine, later", write: writes("shared")}, "shared"},
		"not alike": {"what has come since may be for the other one alone", outlook[*text]{key: "theirs", write: writes("secret")}, "mine, later"},
		"error":     {"the other one went away", outlook[*text]{write: func() (*text, error) { return nil, context.Canceled }}, "mine"},
	} {
		t.Run(label, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				s := &server{Options: Options{Index: w.index, Clusters: func() []clusters.Health { return nil }}, steady: clusters.NewSteady(time.Now)}
				pages := newLatest(newKept[*text](1 << 20))
				goOn := make(chan struct{})
				var all sync.WaitGroup
				all.Go(func() { // a first turn, so that there is a next one to share
					_, _, _ = pages.turns.take("alike", func() (shown[*text], error) { <-goOn; return shown[*text]{}, nil })
				})
				synctest.Wait()
				see := func(now outlook[*text]) func(context.Context, moment) outlook[*text] {
					return func(context.Context, moment) outlook[*text] {
						now.alike = "alike"
						return now
					}
				}
				all.Go(func() { _, _ = pages.of(t.Context(), s.moment, see(c.others)) })
				synctest.Wait()
				all.Go(func() {
					looks := 0
					got, err := pages.of(t.Context(), s.moment, func(context.Context, moment) outlook[*text] {
						if looks++; looks == 1 {
							return outlook[*text]{alike: "alike", key: "mine", write: writes("mine")}
						}
						return outlook[*text]{alike: "alike", key: "mine, later", write: writes("mine, later")}
					})
					if err != nil || string(got.json) != c.want {
						t.Errorf("%s: got %s, %v, want %s", c.reason, got.json, err, c.want)
					}
				})
				synctest.Wait()
				close(goOn)
				all.Wait()
			})
		})
	}
}

func writes(json string) func() (*text, error) {
	return func() (*text, error) { return &text{json: []byte(json)}, nil }
}

// unanswered is a history that leaves one person's questions waiting.
type unanswered struct {
	commits

	whose          string
	asked, answers chan struct{}
}

func (u *unanswered) CommitsOf(ctx context.Context, keys []history.CommitOf) (map[history.CommitOf]history.Commit, error) {
	if auth.From(ctx).Name == u.whose {
		close(u.asked)
		<-u.answers
	}
	return u.commits.CommitsOf(ctx, keys)
}

// Who waits for the history keeps nobody waiting who sees the same.
func TestAuthorsAreAskedForByEach(t *testing.T) {
	history := &unanswered{whose: "reader", asked: make(chan struct{}), answers: make(chan struct{})}
	o := newWorld().options()
	o.Commits = history
	h := as(New(o))
	var all sync.WaitGroup
	ask := func(user string, answered chan<- struct{}) {
		if got := send(t, h, user, "GET", "/environments", ""); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "Mina") {
			t.Errorf("%s: %d %s", user, got.Code, got.Body)
		}
		close(answered)
	}
	first, second := make(chan struct{}), make(chan struct{})
	all.Go(func() { ask("reader", first) })
	within(t, history.asked, "the history is not asked")
	all.Go(func() { ask("writer", second) })
	within(t, second, "who sees the same waits for somebody else's question")
	close(history.answers)
	within(t, first, "there is no answer")
	all.Wait()
}

func within(t *testing.T, done <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(await.Limit):
		t.Fatal(otherwise)
	}
}
