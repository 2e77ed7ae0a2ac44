package bulkhead

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/internal/seat"
)

// TestParkedAreCounted: each once, however often it is rung for, with those that want their worker back.
func TestParkedAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var woken []types.NamespacedName
		b := New(1, func(n types.NamespacedName) { woken = append(woken, n) })
		red, blue := Owner{"a", "red"}, Owner{"b", "blue"}
		first, second, third := types.NamespacedName{Name: "1"}, types.NamespacedName{Name: "2"}, types.NamespacedName{Name: "3"}
		b.enter(red, first)
		for range 2 {
			b.enter(red, second)
			b.enter(blue, third)
		}
		back := make(chan error)
		go func() { back <- (&place{bulkhead: b, owner: red}).resume(t.Context()) }()
		synctest.Wait()
		if diff := cmp.Diff(map[string]int{"a": 2, "b": 1}, b.Parked()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		b.leave(red)
		if err := <-back; err != nil || len(woken) != 0 {
			t.Errorf("who comes back has its worker before others are woken: %v, %v", err, woken)
		}
		b.leave(red)
		if len(woken) != 1 {
			t.Errorf("one worker wakes %v", woken)
		}
		if n := len(b.Parked()); n != 1 {
			t.Errorf("who was woken is parked no more: of %d clusters some are", n)
		}
	})
}

// TestGuardLetsThrough what belongs to nobody, and gives the worker back whatever became of the work.
func TestGuardLetsThrough(t *testing.T) {
	fails := errors.New("it fails")
	b, ran := New(1, func(types.NamespacedName) {}), 0
	guarded := b.Guard(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		ran++
		return reconcile.Result{}, fails
	}), func(_ context.Context, n types.NamespacedName) (Owner, bool) {
		return Owner{"a", "red"}, n.Name != "nobody"
	})
	asked := func(name string) error {
		_, err := guarded.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
		return err
	}
	for range 2 {
		if err := asked("web"); !errors.Is(err, fails) {
			t.Errorf("the work ended with %v", err)
		}
	}
	b.enter(Owner{"b", "blue"}, types.NamespacedName{Name: "other"})
	if err := asked("web"); err != nil || ran != 2 {
		t.Errorf("without a worker it ran %d times: %v", ran, err)
	}
	if err := asked("nobody"); !errors.Is(err, fails) || ran != 3 {
		t.Errorf("what belongs to nobody ran %d times: %v", ran, err)
	}
}

// TestNoRoomToWait: who finds none keeps the worker, so that nobody is without end in between.
func TestNoRoomToWait(t *testing.T) {
	b := New(1, func(types.NamespacedName) {})
	red, silent := Owner{"a", "red"}, errors.New("the host is silent")
	for b.sit(red.waiting("h")) { // others of the project wait for the host
	}
	guarded := b.Guard(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		_, err := seat.Away(ctx, "h", func(context.Context) (string, error) {
			if b.enter(Owner{"b", "blue"}, types.NamespacedName{Name: "other"}) {
				t.Error("its worker is another one's meanwhile")
			}
			return "", silent
		})
		return reconcile.Result{}, err
	}), func(context.Context, types.NamespacedName) (Owner, bool) { return red, true })
	if _, err := guarded.Reconcile(t.Context(), reconcile.Request{}); !errors.Is(err, silent) {
		t.Errorf("it ended with %v", err)
	}
	if b.workers.used != 0 {
		t.Errorf("%d workers are held", b.workers.used)
	}
}
