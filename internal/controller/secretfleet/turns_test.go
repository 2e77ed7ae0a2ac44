package secretfleet

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// TestTurns: what each namespace of each cluster asks for is its own, so that one that computes for long keeps no other one waiting
// that could be computed beside it.
func TestTurns(t *testing.T) {
	c, one, other := newClient(t), embeddedtest.Namespace(t, config), embeddedtest.Namespace(t, config)
	f, _ := newFleet(t)
	var mu sync.Mutex
	asked := map[string]bool{}
	f.Member.Providers = map[string]store.Factory{fake.Name: func(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
		mu.Lock()
		asked[slots.ProjectOf(ctx)] = true
		mu.Unlock()
		return fake.Open(ctx, text, around)
	}}
	f.Set(t.Context(), "dev", "dev", 1, config)
	embeddedtest.Eventually(t, served(c))
	wants(t, c, one, "first")
	wants(t, c, other, "first")
	embeddedtest.Eventually(t, func(context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if !asked["dev/"+one] || !asked["dev/"+other] {
			return fmt.Errorf("asked for: %v", asked)
		}
		return nil
	})
}
