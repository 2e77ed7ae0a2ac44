package store

import (
	"context"
	"strings"
	"testing"
	"time"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// panics is a provider with a fault.
type panics struct{ provider.Reader }

func (*panics) Read(context.Context, provider.Ref) (entry.Entry, error) { panic("hunter22") }

func (*panics) Find(context.Context, esv1.Find) (map[string][]byte, error) { panic("hunter22") }

// TestProviderWithAFault: entries are read beside reconciles, where a panic ends the process.
func TestProviderWithAFault(t *testing.T) {
	opened := newOpened(Store{}, &panics{})
	_, err := opened.Read(t.Context(), provider.Ref{Key: "k"}, time.Time{})
	_, search := opened.Find(t.Context(), esv1.Find{})
	for _, err := range []error{err, search} {
		if err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("got %v", err)
		}
	}
}
