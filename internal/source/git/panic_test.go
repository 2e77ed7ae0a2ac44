package git

import (
	"errors"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// TestPanicOfAWriter leaves no command that waits for the rest, and a store that can be written.
func TestPanicOfAWriter(t *testing.T) {
	s := newStore(t)
	within(t, "a writer that panics", func() error {
		_, _, err := s.importCommit(t.Context(), "", time.Unix(0, 0), "message", func(*Writer) error { panic("a fault") })
		var broke *crew.Panic
		if !errors.As(err, &broke) {
			t.Errorf("got %v", err)
		}
		return nil
	})
}
