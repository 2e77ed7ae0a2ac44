package source

import (
	"context"
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
)

type faultyView struct{}

func (faultyView) snapshot(context.Context, want, account) (*gitops.Snapshot, error) {
	panic("a fault")
}

func faultyRepo(t *testing.T) *repo {
	t.Helper()
	look := func(context.Context, account) (view, error) { panic("a fault") }
	return &repo{
		registry: newRegistry(t, Options{}), key: "faulty", origin: origin{look: look},
		answers: map[want]*answer{}, names: map[string]bool{}, renewals: map[string]*renewal{}, renewing: map[string]bool{}, lines: slots.Shares(calls, lines),
	}
}

// TestPanicOfALook is why the repository does not answer, and nobody waits for its end.
func TestPanicOfALook(t *testing.T) {
	p := faultyRepo(t)
	var broke *crew.Panic
	for range 2 {
		p.mu.Lock()
		if err := p.look(t.Context()); err != nil || p.flight != nil || !errors.As(p.err, &broke) {
			t.Fatalf("the look ended with %v, the repository has %v", err, p.err)
		}
	}
}

// TestPanicOfAnAnswer is the answer, and the next one is asked for anew.
func TestPanicOfAnAnswer(t *testing.T) {
	p, w := faultyRepo(t), want{revision: "main"}
	a := &answer{}
	p.answers[w] = a
	var broke *crew.Panic
	if _, err := p.answer(t.Context(), faultyView{}, w); !errors.As(err, &broke) || a.flight != nil {
		t.Errorf("the answer is %v, and somebody is still after it: %t", err, a.flight != nil)
	}
	if !p.resolveAll(t.Context(), []want{w}) {
		t.Error("the others are not renewed")
	}
}
