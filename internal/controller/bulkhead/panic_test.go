package bulkhead

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/internal/seat"
)

// TestPanicAwayLeavesRoom: what a reconcile held while it waited is others' after its panic.
func TestPanicAwayLeavesRoom(t *testing.T) {
	b := New(1, func(types.NamespacedName) {})
	red := Owner{"a", "red"}
	before := b.lot.room(red.waiting("h"))
	guarded := b.Guard(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		_, err := seat.Away(ctx, "h", func(context.Context) (string, error) { panic("a fault") })
		return reconcile.Result{}, err
	}), func(context.Context, types.NamespacedName) (Owner, bool) { return red, true })
	func() {
		defer func() { _ = recover() }() // as controller-runtime does
		_, _ = guarded.Reconcile(t.Context(), reconcile.Request{})
	}()
	if after := b.lot.room(red.waiting("h")); after != before {
		t.Errorf("there is room for %d to wait, and there was for %d", after, before)
	}
	if !b.enter(red, types.NamespacedName{Name: "next"}) {
		t.Error("the worker is not free")
	}
}
