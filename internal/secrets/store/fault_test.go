package store

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// panics is a provider with a fault.
type panics struct{ provider.Reader }

func (*panics) Read(context.Context, provider.Ref) (entry.Entry, error) { panic("hunter22") }

// TestProviderWithAFault: entries are read beside reconciles, where a panic ends the process.
func TestProviderWithAFault(t *testing.T) {
	_, err := newOpened(Store{}, &panics{}).Read(t.Context(), provider.Ref{Key: "k"}, time.Time{})
	if err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("got %v", err)
	}
}
