package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/await"
)

type askerKey struct{}

func by(ctx context.Context, who string) context.Context {
	return context.WithValue(ctx, askerKey{}, who)
}

func whoAsks(ctx context.Context) string {
	who, _ := ctx.Value(askerKey{}).(string)
	return who
}

// slow has somebody ask what is answered when the test says so, and returns when
// their question is being answered.
func slow(t *testing.T, s *Store, who string, asking *sync.WaitGroup, answer <-chan struct{}) {
	t.Helper()
	begun := make(chan struct{})
	asking.Go(func() {
		err := s.ask(by(t.Context(), who), func(context.Context, *sql.DB) error {
			close(begun)
			<-answer
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", who, err)
		}
	})
	select {
	case <-begun:
	case <-time.After(await.Limit):
		t.Fatalf("%s never has their turn", who)
	}
}

// However much people ask, one person has a part of the turns, and what is
// written, or asked by the engine itself, waits for none of them.
func TestQuestionsTakeTurns(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := opened(t, Options{URL: url, Key: key, Whose: whoAsks})
		var questions sync.WaitGroup
		answer := make(chan struct{})
		for range askingEach {
			slow(t, s, "mallory", &questions, answer)
		}
		gone, cancel := context.WithCancel(by(t.Context(), "mallory"))
		cancel()
		if err := s.ask(gone, func(context.Context, *sql.DB) error { return nil }); err == nil {
			t.Error("one person has more than a share of the turns")
		}
		if _, err := s.List(by(t.Context(), "ann"), "argocd", "web", 1); err != nil {
			t.Errorf("somebody else: %v", err)
		}
		slow(t, s, "bob", &questions, answer)
		one := aSync("web", 1)
		s.Rendering(rendering(one.Rendering))
		s.Sync(one)
		if _, err := s.Kept(t.Context(), one.ID); err != nil {
			t.Errorf("the engine waits for who reads: %v", err)
		}
		close(answer)
		questions.Wait()
	})
}

// Whoever has all connections for questions keeps nothing from being written, nor
// the engine from reading what it goes back to.
func TestReadersKeepNothingFromBeingWritten(t *testing.T) {
	s := opened(t, Options{URL: t.TempDir() + "/history.db", Key: key})
	var questions sync.WaitGroup
	answer := make(chan struct{})
	db, err := s.connected(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range connections {
		taken := make(chan struct{})
		questions.Go(func() {
			c, err := db.Conn(t.Context())
			close(taken)
			if err != nil {
				t.Error(err)
				return
			}
			<-answer
			_ = c.Close()
		})
		<-taken
	}
	one := aSync("web", 1)
	s.Rendering(rendering(one.Rendering))
	s.Sync(one)
	eventually(t, "the sync is written", func() bool { return s.Stats().Written == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	if _, err := s.Kept(ctx, one.ID); err != nil {
		t.Errorf("the engine waits for who reads: %v", err)
	}
	close(answer)
	questions.Wait()
}

// A question that takes too long is ended, and says so: one of the engine as well, for
// which others wait. Those of commands take as long as they do.
func TestQuestionsEnd(t *testing.T) {
	options := Options{URL: t.TempDir() + "/history.db", Key: key, AnswerWithin: time.Millisecond, Whose: whoAsks}
	s := quiet(t, options)
	for _, who := range []string{"ann", ""} {
		err := s.ask(by(t.Context(), who), func(ctx context.Context, _ *sql.DB) error {
			<-ctx.Done()
			return ctx.Err()
		})
		var p *gitops.Problem
		if !errors.Is(err, ErrBusy) || !errors.As(err, &p) {
			t.Errorf("the answer to %q is %v", who, err)
		}
	}
	left := func(s *Store, who string) time.Duration {
		ctx, cancel := s.askers.within(by(t.Context(), who), time.Hour)
		defer cancel()
		until, bounded := ctx.Deadline()
		if !bounded {
			return 0
		}
		return time.Until(until)
	}
	if left(s, "") <= left(s, "ann") {
		t.Error("the engine has no more time than people")
	}
	options.URL, options.Whose = t.TempDir()+"/history.db", nil
	if left(quiet(t, options), "") != 0 {
		t.Error("a command has no time")
	}
}

// Who asks puts nothing into the queue that syncs go by: however many ask, and
// whether they have gone since, nothing of it is lost.
func TestQuestionsTakeNoRoomInTheQueue(t *testing.T) {
	s := quiet(t, Options{URL: t.TempDir() + "/history.db", Key: key, FlushWithin: time.Nanosecond})
	s.stats.up.Store(true)
	s.flush(t.Context()) // nothing is unsaved
	s.Sync(aSync("web", 0))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 * queueItems {
		s.flush(gone)
	}
	for n := range queueItems - 1 {
		s.Sync(aSync("web", n+1))
	}
	if st := s.Stats(); st.Lost != 0 || st.Queued != queueItems {
		t.Errorf("%d were lost, and %d wait", st.Lost, st.Queued)
	}
}

// Who asks waits for what came before, and not for what comes after.
func TestLine(t *testing.T) {
	l := newLine()
	take := func() bool { return true }
	l.come(take)
	l.come(take)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		l.wait(t.Context(), await.Limit)
	}()
	await.Until(t, func(context.Context) error {
		if l.askers.Load() == 1 {
			return nil
		}
		return errors.New("nobody waits")
	})
	l.come(func() bool { return false }) // the queue is full
	l.come(take)
	l.advance(1)
	select {
	case <-answered:
		t.Error("it did not wait for what came before")
	default:
	}
	l.advance(1)
	select {
	case <-answered:
	case <-time.After(await.Limit):
		t.Error("it waits for what came after")
	}
	if there, _ := l.reached(3); there || l.last() != 3 {
		t.Error(fmt.Sprint("three came, and two were tried: ", l.last()))
	}
}
