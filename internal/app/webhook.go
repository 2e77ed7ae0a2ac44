package app

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/server/webhook"
)

func (e *Engine) webhooks() http.Handler {
	signing := webhook.NewSigning(e.manager.GetAPIReader(), types.NamespacedName{Namespace: e.cfg.Namespace, Name: webhook.SigningSecret}, e.cfg.Log)
	return &webhook.Handler{
		Secrets: signing.Secrets,
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
	e.router.Host(event)
}
