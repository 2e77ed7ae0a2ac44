package preview

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/crew"
)

func TestInParallel(t *testing.T) {
	var done atomic.Int32
	if err := inParallel(t.Context(), 2, 5, func(context.Context, int) { done.Add(1) }); err != nil || done.Load() != 5 {
		t.Errorf("%d of 5 are done: %v", done.Load(), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inParallel(ended, 2, 5, func(context.Context, int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context's end: %v", err)
	}
	var broke *crew.Panic
	if err := inParallel(t.Context(), 1, 5, func(context.Context, int) { panic("a fault") }); !errors.As(err, &broke) {
		t.Errorf("after a panic: %v", err)
	}
}
