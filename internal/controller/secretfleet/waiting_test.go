package secretfleet

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestStoresThatComeLater: who applies both at once has them in any order, and a failed refresh does not wait for its time.
func TestStoresThatComeLater(t *testing.T) {
	c, namespace := newClient(t), embeddedtest.Namespace(t, config)
	f, _ := newFleet(t)
	f.Set(t.Context(), "later", "later", 1, config)
	embeddedtest.Eventually(t, served(c))
	name := wants(t, c, namespace, "first")
	embeddedtest.Eventually(t, made(c, name))
	store := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s"}}
	if err := c.Delete(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	other := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "waits"}, Spec: esv1.ExternalSecretSpec{
		SecretStoreRef: esv1.SecretStoreRef{Name: "s"}, Data: []esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "k"}}},
	}}
	if err := c.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(other), other); err != nil || len(other.Status.Conditions) == 0 {
			return fmt.Errorf("nothing is said: %w", err)
		}
		return nil
	})
	wants(t, c, namespace, "third")
	embeddedtest.Eventually(t, made(c, client.ObjectKeyFromObject(other)))
}
