package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SigningSecret is where Argo CD, too, keeps the secrets that hosts sign with.
const SigningSecret = "argocd-secret"

const (
	// secretsFor is how long the secrets are believed, or not tried to be read again,
	// so that a flood of events is no flood of requests.
	secretsFor = 10 * time.Second
	// readSecretFor bounds a read.
	readSecretFor = 10 * time.Second
)

// Signing reads the Secret with the hosts' secrets. It is safe for concurrent use.
type Signing struct {
	reader client.Reader
	name   types.NamespacedName
	log    *slog.Logger

	// reading has who reads: one at a time.
	reading chan struct{}
	last    atomic.Pointer[signs]
}

// NewSigning reads the named Secret by a reader that keeps nothing.
func NewSigning(reader client.Reader, name types.NamespacedName, log *slog.Logger) *Signing {
	return &Signing{reader: reader, name: name, log: log, reading: make(chan struct{}, 1)}
}

// signs is what is known of the Secret.
type signs struct {
	secrets Secrets
	// err tells that it never was read: nobody is believed then.
	err   error
	until time.Time
}

// Secrets are those of the hosts. Who comes while they are read has what was
// known, if anything was.
func (s *Signing) Secrets() (Secrets, error) {
	last := s.last.Load()
	if last.holds() {
		return last.secrets, last.err
	}
	if last == nil || last.err != nil {
		s.reading <- struct{}{}
		return s.renew()
	}
	select {
	case s.reading <- struct{}{}:
		return s.renew()
	default:
		return last.secrets, nil
	}
}

// renew reads them, unless somebody just has. Who calls it is who reads.
func (s *Signing) renew() (Secrets, error) {
	defer func() { <-s.reading }()
	last := s.last.Load()
	if !last.holds() {
		last = s.read(last)
		s.last.Store(last)
	}
	return last.secrets, last.err
}

// holds reports whether it need not be read again: not even after a failure, as
// each of many strangers would wait for one.
func (s *signs) holds() bool { return s != nil && time.Now().Before(s.until) }

func (s *Signing) read(last *signs) *signs {
	ctx, cancel := context.WithTimeout(context.Background(), readSecretFor)
	defer cancel()
	secret := &corev1.Secret{}
	err := client.IgnoreNotFound(s.reader.Get(ctx, s.name, secret))
	until := time.Now().Add(secretsFor)
	if err == nil {
		return &signs{secrets: Read(secret.Data), until: until}
	}
	if apierrors.IsForbidden(err) {
		err = fmt.Errorf("%w; let the engine's account get this Secret, be it there or not", err)
	}
	s.log.Warn("the secrets of webhooks cannot be read", "secret", s.name, "error", err) // at most once in secretsFor
	if last == nil || last.err != nil {
		return &signs{err: err, until: until}
	}
	return &signs{secrets: last.secrets, until: until} // what was known is safer than to believe everyone
}
