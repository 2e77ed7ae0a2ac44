package jq

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// poolOf is a pool whose workers end with the test.
func poolOf(t *testing.T) *pool {
	t.Helper()
	p := newPool()
	t.Cleanup(func() {
		for _, w := range p.idle {
			w.timer.Stop()
			_ = w.end()
		}
	})
	return p
}

// waiting is a context that tells when somebody waits for its end.
type waiting struct {
	context.Context //nolint:containedctx // it is one

	told chan struct{}
	once sync.Once
}

// Done implements context.Context.
func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.told) })
	return w.Context.Done()
}

// TestWorkersKilledAtOnce kills all idle workers, as a node that lacks memory
// does: the next question is answered all the same.
func TestWorkersKilledAtOnce(t *testing.T) {
	p := poolOf(t)
	for range 3 {
		var idle []*worker
		for range maxWorkers {
			w, err := p.take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			idle = append(idle, w)
		}
		for _, w := range idle {
			p.give(w)
			w.kill()
		}
		a, _, err := p.ask(t.Context(), "", question{Verb: find, Text: ".spec.containers[1:]", Object: object()})
		if err != nil || len(a.Paths) != 1 {
			t.Fatalf("with %d dead workers: %v, %v", maxWorkers, a, err)
		}
	}
}

// TestWorkersOfOneProject: a project whose questions are slow has one of the two
// workers, and another one's question does not stand in line behind them.
func TestWorkersOfOneProject(t *testing.T) {
	p := poolOf(t)
	if _, err := p.slots.Take(t.Context(), slots.Of("red")); err != nil { // as long as it likes
		t.Fatal(err)
	}
	about := question{Verb: find, Text: ".spec.containers[1:]", Object: object()}
	ctx, cancel := context.WithCancel(t.Context())
	later := &waiting{Context: ctx, told: make(chan struct{})}
	waits := make(chan error, 1)
	go func() {
		_, _, err := p.ask(later, "red", about)
		waits <- err
	}()
	<-later.told
	a, _, err := p.ask(t.Context(), "blue", about)
	if err != nil || len(a.Paths) != 1 {
		t.Errorf("another project's question: %v, %v", a, err)
	}
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("a second question of the first project: %v", err)
	}
}

// stopped is an idle worker of a pool that does nothing any more, and does not end.
func stopped(t *testing.T, p *pool) *worker {
	t.Helper()
	w, err := p.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	if err := w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestStoppedWorkersAreKilled: one that neither answers nor ends keeps nobody
// waiting, and no place.
func TestStoppedWorkersAreKilled(t *testing.T) {
	p := poolOf(t)
	if err := stopped(t, p).end(); !errors.Is(err, errDied) {
		t.Errorf("it was to end: %v", err)
	}
	about := question{Verb: find, Text: ".spec.containers[1:]", Object: object()}
	p.give(stopped(t, p))
	for p.allow = time.Millisecond; len(p.idle) > 0; p.allow *= 2 { // so long that it is asked
		if _, _, err := p.ask(t.Context(), "red", about); !errors.Is(err, errTime) {
			t.Errorf("it was to answer: %v", err)
		}
	}
	p.allow = allow
	if a, _, err := p.ask(t.Context(), "red", about); err != nil || len(a.Paths) != 1 {
		t.Errorf("the next question: %v, %v", a, err)
	}
}

// endless is an answer without an end.
type endless struct{ read int }

// Read implements io.Reader.
func (e *endless) Read(b []byte) (int, error) {
	if e.read > 2*maxAnswer {
		return 0, io.ErrUnexpectedEOF
	}
	for i := range b {
		b[i] = '['
	}
	e.read += len(b)
	return len(b), nil
}

// unheard is where questions go that nobody reads.
type unheard struct{ io.Writer }

// Close implements io.Closer.
func (unheard) Close() error { return nil }

func TestAnswersAreBounded(t *testing.T) {
	w, text := &worker{in: unheard{io.Discard}}, &endless{}
	w.hear(text)
	if _, err := w.talk(nil); !errors.Is(err, errNames) || text.read > maxAnswer+1 {
		t.Errorf("after %d bytes: %v", text.read, err)
	}
	w.hear(io.MultiReader(strings.NewReader("{}\n"), strings.NewReader(`{"failure": "`+strings.Repeat("a", maxAnswer-15)+"\"}\n")))
	for range 2 {
		if _, err := w.talk(nil); err != nil {
			t.Errorf("an answer within the bound: %v", err)
		}
	}
}

// TestTimeOfOneComparison is bounded for all objects together, and the rule
// that took most of it is named.
func TestTimeOfOneComparison(t *testing.T) {
	parsed := func(text string) *Query {
		q, err := Parse("red", "ignoreDifferences", text)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	quick, slow := parsed(".spec.replicas"), parsed(".spec | select(last(range(1e15)) == 1)")
	ctx := Share(t.Context(), "red")
	if _, err := quick.Delete(ctx, object()); err != nil {
		t.Fatal(err)
	}
	if s := shareOf(ctx); s.project != "red" || s.spent == 0 {
		t.Errorf("after one evaluation, %s had %s", s.project, s.spent)
	}
	if _, err := slow.Delete(ctx, object()); err == nil || !errors.Is(err, errTime) {
		t.Errorf("a slow expression: %v", err)
	}
	shareOf(ctx).spend(slow, together)
	_, err := quick.Delete(ctx, object())
	var p *gitops.Problem
	if !errors.As(err, &p) || !strings.Contains(p.What, "last(range(1e15))") || p.Fix == "" {
		t.Errorf("after all its time: %v", err)
	}
	if _, err := quick.Delete(Share(t.Context(), "red"), object()); err != nil {
		t.Errorf("the next comparison: %v", err)
	}
}
