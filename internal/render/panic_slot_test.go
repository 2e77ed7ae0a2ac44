package render

import (
	"context"
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// TestPanicGivesItsSlotBack: also one that no source and no library is to blame for.
func TestPanicGivesItsSlotBack(t *testing.T) {
	r := New(Options{Limits: Limits{Parallel: 1}})
	for range 2 {
		e, err := r.slotted(t.Context(), "shop", func(context.Context) *entry { panic("a fault") })
		var broke *crew.Panic
		if err != nil || !errors.As(e.err, &broke) || e.lasting() {
			t.Fatalf("the render came to %+v, %v", e, err)
		}
	}
}
