package app

import (
	"context"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/server/webhook"
)

// webhookSecret is where Argo CD, too, keeps the secrets that hosts sign with.
const webhookSecret = "argocd-secret"

// secretsFor is how long the secrets are believed, so that a flood of events
// is no flood of requests.
const secretsFor = 10 * time.Second

func (e *Engine) webhooks() http.Handler {
	s := &signing{reader: e.manager.GetAPIReader(), name: types.NamespacedName{Namespace: e.cfg.Namespace, Name: webhookSecret}}
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
	e.hosts.outdate(event)
	e.router.host(event)
}

// signing reads the Secret with the hosts' secrets. It is safe for concurrent use.
type signing struct {
	reader client.Reader
	name   types.NamespacedName

	mu    sync.Mutex
	known webhook.Secrets
	until time.Time
}

func (s *signing) secrets() webhook.Secrets {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until) {
		return s.known
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	secret := &corev1.Secret{}
	err := s.reader.Get(ctx, s.name, secret)
	if client.IgnoreNotFound(err) != nil {
		return s.known // what was known is safer than to believe everyone
	}
	s.known, s.until = webhook.Read(secret.Data), time.Now().Add(secretsFor)
	return s.known
}
