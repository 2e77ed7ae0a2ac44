package git

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestOneCallForAll has many need the same, of whom one does it.
func TestOneCallForAll(t *testing.T) {
	var f flights
	began, release := make(chan struct{}), make(chan struct{})
	calls, ready := 0, false
	done := func() (bool, error) {
		select {
		case <-release:
			return ready, nil
		default:
			return false, nil
		}
	}
	var g errgroup.Group
	g.Go(func() error {
		return f.lead(t.Context(), "k", atOnce, done, func() error {
			calls++
			close(began)
			<-release
			ready = true
			return nil
		})
	})
	<-began
	for range 3 {
		g.Go(func() error {
			return f.lead(t.Context(), "k", atOnce, done, func() error { return errors.New("it is done twice") })
		})
	}
	within(t, "who needs something else", func() error {
		return f.lead(t.Context(), "other", atOnce, func() (bool, error) { return false, nil }, func() error { return nil })
	})
	close(release)
	if err := g.Wait(); err != nil || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestCallsAreTakenOver: the next one does what the first one did not manage.
func TestCallsAreTakenOver(t *testing.T) {
	var f flights
	broken := errors.New("no answer")
	never := func() (bool, error) { return false, nil }
	if err := f.lead(t.Context(), "k", atOnce, never, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := f.lead(t.Context(), "k", atOnce, never, func() error { return nil }); err != nil {
		t.Errorf("the next one: %v", err)
	}
	if len(f.running) > 0 {
		t.Error("calls that ended are kept")
	}
}

// TestWhatIsDoneIsNotDoneAgain, also where somebody did it while one waited for a turn.
func TestWhatIsDoneIsNotDoneAgain(t *testing.T) {
	var f flights
	looks, known := 0, errors.New("it is known to be lacking")
	done := func() (bool, error) {
		looks++
		return looks > 1, known
	}
	ended := false
	turn := func(context.Context) (func(), error) { return func() { ended = true }, nil }
	err := f.lead(t.Context(), "k", turn, done, func() error { return errors.New("it is done twice") })
	if !errors.Is(err, known) || !ended {
		t.Errorf("got %v; the turn ended: %t", err, ended)
	}
}

// TestWhoGivesUpWaitsNoLonger, neither for a turn nor for another's call.
func TestWhoGivesUpWaitsNoLonger(t *testing.T) {
	var f flights
	if !f.begin("k") {
		t.Fatal("somebody does it already")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func() (bool, error) { return false, nil }
	full := errors.New("no turn")
	none := func(context.Context) (func(), error) { return nil, full }
	if err := f.lead(ctx, "k", none, never, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("behind another one, for which nobody takes a turn: %v", err)
	}
	if err := f.lead(t.Context(), "other", none, never, func() error { return nil }); !errors.Is(err, full) {
		t.Errorf("without a turn: %v", err)
	}
	if f.begin("k") {
		t.Error("the one who does it was forgotten")
	}
}
