package secrets

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/account"
)

// awayKey is a Secret with a key, which the API server tells of when it has
// failed some times.
type awayKey struct {
	client.Client

	fails  int
	key    string
	labels map[string]string
}

func (a *awayKey) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if a.fails--; a.fails >= 0 {
		return errors.New("connection refused")
	}
	if secret, ok := o.(*corev1.Secret); ok {
		secret.Data, secret.Labels = map[string][]byte{argoKey: []byte(a.key)}, a.labels
	}
	return nil
}

// A Secret that describes a cluster is somebody else's, whatever key is in it.
func TestKeyOfASecretThatDescribesACluster(t *testing.T) {
	secret := &awayKey{key: "another", labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}}
	if key, err := SessionKey(t.Context(), secret, "argocd"); err == nil || !strings.Contains(err.Error(), "Secret "+account.Secret+" has the label") {
		t.Errorf("key %q: %v", key, err)
	}
	secret.key, secret.labels = "", nil
	if key, err := SessionKey(t.Context(), secret, "argocd"); err == nil || !strings.Contains(err.Error(), "Secret "+KeySecret+" has no key of sessions") {
		t.Errorf("key %q of a Secret without one: %v", key, err)
	}
}

// A key is taken when the API server is back, though nothing tells of it a
// second time; one that cannot be used is not asked for again.
func TestKeyIsReadUntilItIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		secret := &awayKey{fails: 7, key: "another"}
		var taken []string
		s := &Signing{client: secret, log: slog.New(slog.DiscardHandler), key: []byte("first"), rekey: []func([]byte) error{func(key []byte) error {
			if string(key) == "unfit" {
				return errors.New("too short")
			}
			taken = append(taken, string(key))
			return nil
		}}}
		s.read(t.Context())
		if len(taken) != 1 || taken[0] != secret.key || string(s.key) != secret.key {
			t.Errorf("after it is back the keys %q were taken", taken)
		}
		secret.key = "unfit"
		s.read(t.Context())
		if len(taken) != 1 || string(s.key) != "another" {
			t.Errorf("of one that is unfit the keys %q were taken", taken)
		}
	})
}
