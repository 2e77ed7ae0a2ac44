package kind

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// TestPanicOfTheLibrary is why there is no cluster.
func TestPanicOfTheLibrary(t *testing.T) {
	d, changes := driver(t, func() (Provider, error) { panic("a fault") })
	_, _ = d.Make(t.Context(), dev)
	changed(t, changes)
	var broke *crew.Panic
	if _, err := d.Make(t.Context(), dev); !errors.As(err, &broke) {
		t.Errorf("the cluster is %v", err)
	}
}
