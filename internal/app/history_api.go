package app

import (
	"context"
	"net/http"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	clusterapi "github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

// historyAPI serves the history to those who can read the token in its
// Secret; nil when there is none to serve.
func (e *Engine) historyAPI(ctx context.Context) http.Handler {
	if e.chronicle.Store == nil {
		return nil
	}
	token, err := e.chronicle.Token(ctx)
	if err != nil {
		e.cfg.Log.WarnContext(ctx, "the history is not served: its Secret can neither be read nor made", "secret", chronicle.Secret, "error", err)
		return nil
	}
	compare := func(ctx context.Context, a, b string) (any, error) {
		return chronicle.Compare(ctx, e.chronicle.Store, a, b, e.hidden())
	}
	return syncs.Handler(e.chronicle.Store, compare, token)
}

// hidden are the annotations of Secrets whose values nobody is shown.
func (e *Engine) hidden() []string { return e.settings.Comparing().Hidden() }

// clusterAPI tells how the clusters fare, to those who can read the same token.
func (e *Engine) clusterAPI(ctx context.Context) http.Handler {
	token, err := e.chronicle.Token(ctx)
	if err != nil {
		return http.NotFoundHandler()
	}
	list := func() []clusterapi.Health { return clusterapi.Of(e.fleet, e.shared.Parked()) }
	return clusterapi.Handler(list, token)
}
