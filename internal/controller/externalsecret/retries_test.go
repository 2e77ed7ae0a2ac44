package externalsecret_test

import (
	"context"
	"fmt"
	"strings"
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

// TestTwoWriters: who puts a key into a Secret again and again is answered less and less often.
func TestTwoWriters(t *testing.T) {
	p := newPlace(t)
	p.has(values, strings.Replace(wanting("fought", user), "1s", "1h", 1))
	p.secret("fought", map[string]string{"user": "ada"})
	p.says("fought", "True", "SecretSynced", "")
	removed := -1
	embeddedtest.Never(p, 3*time.Second, func(ctx context.Context) error {
		secret, err := p.get("fought")
		if err != nil {
			return err
		}
		if _, ok := secret.Data["more"]; !ok {
			secret.Data["more"] = []byte("x")
			if err := kube.Update(ctx, secret); err != nil {
				return err
			}
			removed++
		}
		if removed < 6 {
			return fmt.Errorf("it was removed %d times", removed)
		}
		return nil
	})
	if removed < 1 {
		t.Error("it was never removed")
	}
}
