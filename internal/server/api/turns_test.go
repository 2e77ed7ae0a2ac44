package api

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/clusters"
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
		others outlook
		want   string
	}{
		"alike":     {"what was made for another who sees the same is shared", outlook{key: "mine, later", write: writes("shared")}, "shared"},
		"not alike": {"what has come since may be for the other one alone", outlook{key: "theirs", write: writes("secret")}, "mine, later"},
		"error":     {"the other one went away", outlook{write: func() (*text, error) { return nil, context.Canceled }}, "mine"},
	} {
		t.Run(label, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				s := &server{Options: Options{Index: w.index, Clusters: func() []clusters.Health { return nil }}, texts: newKept[*text](1 << 20), turns: newTurns[shown](), steady: clusters.NewSteady(time.Now)}
				goOn := make(chan struct{})
				var all sync.WaitGroup
				all.Go(func() { // a first turn, so that there is a next one to share
					_, _, _ = s.turns.take("alike", func() (shown, error) { <-goOn; return shown{}, nil })
				})
				synctest.Wait()
				see := func(now outlook) func(context.Context, moment) outlook {
					return func(context.Context, moment) outlook {
						now.alike = "alike"
						return now
					}
				}
				all.Go(func() { _, _ = s.latest(t.Context(), see(c.others)) })
				synctest.Wait()
				all.Go(func() {
					looks := 0
					got, err := s.latest(t.Context(), func(context.Context, moment) outlook {
						if looks++; looks == 1 {
							return outlook{alike: "alike", key: "mine", write: writes("mine")}
						}
						return outlook{alike: "alike", key: "mine, later", write: writes("mine, later")}
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
