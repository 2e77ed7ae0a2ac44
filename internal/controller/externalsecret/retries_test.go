package externalsecret_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestFailuresAreSpacedOut: an error that is another one each time is no reason to try again at once.
func TestFailuresAreSpacedOut(t *testing.T) {
	p := newPlace(t)
	p.has("\napiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: values}\nspec: {provider: {broken: {}}}\n", wanting("tried", user))
	p.says("tried", "False", "SecretSyncedError", "is reset")
	before := tries.Load()
	embeddedtest.Never(p, 3*time.Second, func(context.Context) error {
		if n := tries.Load() - before; n < 8 {
			return fmt.Errorf("%d tries", n)
		}
		return nil
	})
}
