package secrets

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Names of what the sessions are signed with.
const (
	// KeySecret has the key, where Argo CD's own Secret has none.
	KeySecret = "causeway-server"
	serverKey = "sessionKey"
	argoKey   = "server.secretkey"
)

// maxReadPause is the longest between two attempts to read the key: until then
// sessions count that are to have ended.
const maxReadPause = 10 * time.Second

// Signing is the key of sessions, and what goes by it.
type Signing struct {
	client    client.Client
	namespace string
	log       *slog.Logger
	// rekey are told of another key. The first that does not take it tells why.
	rekey []func(key []byte) error

	mu  sync.Mutex
	key []byte
}

// NewSigning signs with the key that SessionKey has read. Those of rekey are told of
// another one; the first that does not take it tells why.
func NewSigning(c client.Client, namespace string, log *slog.Logger, key []byte, rekey ...func(key []byte) error) *Signing {
	return &Signing{client: c, namespace: namespace, log: log, key: key, rekey: rekey}
}

// Follow takes another key when a Secret that has it changes: what the one
// before has signed ends.
func (s *Signing) Follow(secrets corev1client.SecretInterface, changed func()) []func(context.Context) {
	var out []func(context.Context)
	for _, name := range []string{account.Secret, KeySecret} {
		k := &keptSecret{secrets: secrets, name: name, what: "keys of sessions", log: s.log}
		bell := make(chan struct{}, 1)
		k.taken = func(*corev1.Secret) {
			select {
			case bell <- struct{}{}:
			default: // it rings already
			}
		}
		out = append(out, k.Follow, func(ctx context.Context) {
			for {
				select {
				case <-ctx.Done():
					return
				case <-bell:
					changed()
					s.read(ctx)
				}
			}
		})
	}
	return out
}

// read reads the key anew, as often as it takes: nothing rings a second time.
func (s *Signing) read(ctx context.Context) {
	for pause := follow.Pause; !s.again(ctx); pause = min(2*pause, maxReadPause) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// again reports whether the key could be read. One that cannot be used is as good
// as read: it stays so until a Secret changes.
func (s *Signing) again(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	key, err := SessionKey(ctx, s.client, s.namespace)
	if err != nil {
		s.log.ErrorContext(ctx, "sessions are signed with the key that they had until it can be read", "error", err)
		return false
	}
	if !bytes.Equal(key, s.key) {
		s.take(ctx, key)
	}
	return true
}

// take signs with another key from now on, with the lock held.
func (s *Signing) take(ctx context.Context, key []byte) {
	for _, rekey := range s.rekey {
		if err := rekey(key); err != nil {
			s.log.ErrorContext(ctx, "sessions are signed with the key that they had", "error", err)
			return
		}
	}
	s.key = key
	s.log.WarnContext(ctx, "the key of sessions is another one: all sessions have ended", "secrets", []string{account.Secret, KeySecret})
}

// SessionKey is Argo CD's where it has one, so that tokens which its users have
// go on to work; else one of the product's own, which is made once.
func SessionKey(ctx context.Context, c client.Client, namespace string) ([]byte, error) {
	secret := &corev1.Secret{}
	err := c.Get(ctx, types.NamespacedName{Namespace: namespace, Name: account.Secret}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", account.Secret, err)
	}
	if err := gitops.Misused(account.Secret, secret.Labels); err != nil {
		return nil, err
	}
	if key := secret.Data[argoKey]; len(key) > 0 {
		return key, nil
	}
	return ownKey(ctx, c, namespace)
}

// ownKey is the product's own, which is made once.
func ownKey(ctx context.Context, c client.Client, namespace string) ([]byte, error) {
	secret := &corev1.Secret{}
	name := types.NamespacedName{Namespace: namespace, Name: KeySecret}
	err := c.Get(ctx, name, secret)
	if apierrors.IsNotFound(err) {
		made := store.NewKey()
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, Labels: map[string]string{partOf: "causeway"}},
			Data:       map[string][]byte{serverKey: []byte(hex.EncodeToString(made[:]))},
		}
		if err = c.Create(ctx, secret); apierrors.IsAlreadyExists(err) {
			err = c.Get(ctx, name, secret) // another replica was faster
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read or make Secret %s: %w", KeySecret, err)
	}
	if err := gitops.Misused(KeySecret, secret.Labels); err != nil {
		return nil, err
	}
	if len(secret.Data[serverKey]) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "Secret %s has no key of sessions (%s)", KeySecret, serverKey).Do("delete the Secret: another one is made")
	}
	return secret.Data[serverKey], nil
}
