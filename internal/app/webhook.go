package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/server/webhook"
)

// webhookSecret is where Argo CD, too, keeps the secrets that hosts sign with.
const webhookSecret = "argocd-secret"

// secretsFor is how long the secrets are believed, or not tried to be read again,
// so that a flood of events is no flood of requests.
const secretsFor = 10 * time.Second

func (e *Engine) webhooks() http.Handler {
	s := newSigning(e.manager.GetAPIReader(), types.NamespacedName{Namespace: e.cfg.Namespace, Name: webhookSecret}, e.cfg.Log)
	return &webhook.Handler{
		Secrets: s.secrets,
		Log:     e.cfg.Log,
		// The registry looks again, and tells of the revisions that moved:
		// exactly the applications that use them are woken.
		Push: func(ctx context.Context, p webhook.Push) {
			for _, url := range p.RepoURLs {
				if ctx.Err() == nil {
					e.sources.Refresh(url)
				}
			}
		},
		Event: func(_ context.Context, event webhook.Event) { e.hostEvent(generate.HostEvent(event)) },
	}
}

// hostEvent wakes the sets that asked a Git host for what an event is about,
// and lets them ask anew.
func (e *Engine) hostEvent(event generate.HostEvent) {
	e.hosts.Outdate(event)
	e.router.host(event)
}

// signing reads the Secret with the hosts' secrets. It is safe for concurrent use.
type signing struct {
	reader client.Reader
	name   types.NamespacedName
	log    *slog.Logger

	// reading has who reads: one at a time.
	reading chan struct{}
	last    atomic.Pointer[signs]
}

func newSigning(reader client.Reader, name types.NamespacedName, log *slog.Logger) *signing {
	return &signing{reader: reader, name: name, log: log, reading: make(chan struct{}, 1)}
}

// signs is what is known of the Secret.
type signs struct {
	secrets webhook.Secrets
	// err tells that it never was read: nobody is believed then.
	err   error
	until time.Time
}

// secrets are those of the hosts. Who comes while they are read has what was
// known, if anything was.
func (s *signing) secrets() (webhook.Secrets, error) {
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
func (s *signing) renew() (webhook.Secrets, error) {
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

func (s *signing) read(last *signs) *signs {
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	secret := &corev1.Secret{}
	err := client.IgnoreNotFound(s.reader.Get(ctx, s.name, secret))
	until := time.Now().Add(secretsFor)
	if err == nil {
		return &signs{secrets: webhook.Read(secret.Data), until: until}
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
