package secrets

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestKeysFromFirstToLast: what one replica makes and revokes counts there at once, and at others as soon as they read it.
func TestKeysFromFirstToLast(t *testing.T) {
	clients, err := kubernetes.NewForConfig(Hub)
	if err != nil {
		t.Fatal(err)
	}
	secrets := clients.CoreV1().Secrets(embeddedtest.Namespace(t, Hub))
	start := func() *Keyring {
		r := NewKeyring(secrets, func(context.Context) string { return "" }, nil, slog.New(slog.DiscardHandler))
		if _, err := r.list(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, ann := start(), &auth.User{Name: "ann", Via: auth.Local}
	made, text, err := one.Create(t.Context(), ann, &api.NewKey{Name: "ci", Days: 100_000, Scope: key.Scope{ReadOnly: true}})
	if err != nil || !made.Own || made.Expires.Sub(made.Created) != key.MaxDays*24*time.Hour {
		t.Fatalf("a key is made as %+v: %v", made, err)
	}
	if _, _, err := one.Create(t.Context(), ann, &api.NewKey{Name: "ci"}); !gitops.IsProblem(err, gitops.NotReady) {
		t.Errorf("another one of the name: %v", err)
	}
	if _, _, err := one.Create(t.Context(), &auth.User{Name: "bob", Via: auth.Local}, &api.NewKey{Name: "ci"}); err != nil {
		t.Errorf("names are of one person: %v", err)
	}
	two := start()
	for name, r := range map[string]*Keyring{"who made it": one, "another replica": two} {
		if found, err := r.Find(t.Context(), text); err != nil || found.Name != "ci" || found.Owner.Name != "ann" {
			t.Errorf("%s finds %+v: %v", name, found, err)
		}
	}
	two.noteNow(t.Context())
	kept, err := secrets.Get(t.Context(), KeysSecret, metav1.GetOptions{})
	if err != nil || len(kept.Data[made.ID+usedEntry]) == 0 || len(two.notes) != 0 {
		t.Errorf("that it was used is not kept: %v", err)
	}
	if _, secret, _ := key.Split(text); strings.Contains(fmt.Sprintf("%s", kept.Data), secret) {
		t.Error("what proves a key is kept")
	}
	all, err := two.Keys(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%d keys are listed: %v", len(all), err)
	}
	for i := range all {
		if err := two.Revoke(t.Context(), ann, &all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := two.Find(t.Context(), text); err == nil {
		t.Error("what was revoked counts")
	}
	if kept, err = secrets.Get(t.Context(), KeysSecret, metav1.GetOptions{}); err != nil || len(kept.Data) != 0 {
		t.Errorf("of keys that were revoked there is %v: %v", kept.Data, err)
	}
}

// TestKeyOfSessionsIsMadeOnce: the next start has the same one, and Argo CD's is in its place as soon as there is one.
func TestKeyOfSessionsIsMadeOnce(t *testing.T) {
	c, err := client.New(Hub, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clients, err := kubernetes.NewForConfig(Hub)
	if err != nil {
		t.Fatal(err)
	}
	namespace := embeddedtest.Namespace(t, Hub)
	first, err := SessionKey(t.Context(), c, namespace)
	if err != nil || len(first) < 32 {
		t.Fatalf("a key of %d bytes is made: %v", len(first), err)
	}
	if again, err := SessionKey(t.Context(), c, namespace); err != nil || string(again) != string(first) {
		t.Errorf("the next start has another one: %v", err)
	}
	argo := keptSecret{secrets: clients.CoreV1().Secrets(namespace), name: "argocd-secret", log: slog.New(slog.DiscardHandler), taken: func(*corev1.Secret) {}}
	if err := argo.write(t.Context(), map[string]any{argoKey: []byte("of Argo CD")}); err != nil {
		t.Fatal(err)
	}
	if key, err := SessionKey(t.Context(), c, namespace); err != nil || string(key) != "of Argo CD" {
		t.Errorf("with Argo CD's it is %q: %v", key, err)
	}
}
