package app

import (
	"context"
	"net/http"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	clusterapi "github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
	"github.com/causeway-gitops/causeway/internal/store"
)

// historyAPI serves the history to those who can read the token in its
// Secret; nil when there is none to serve.
func (e *Engine) historyAPI(ctx context.Context) http.Handler {
	if e.history == nil {
		return nil
	}
	secret, err := e.historySecret(ctx)
	if err != nil {
		e.cfg.Log.WarnContext(ctx, "the history is not served: its Secret can neither be read nor made", "secret", HistorySecret, "error", err)
		return nil
	}
	compare := func(ctx context.Context, a, b string) (any, error) { return CompareSyncs(ctx, e.history, a, b) }
	return syncs.Handler(e.history, compare, string(secret.Data[historyToken]))
}

// clusterAPI tells how the clusters fare, to those who can read the same token.
func (e *Engine) clusterAPI(ctx context.Context) http.Handler {
	secret, err := e.historySecret(ctx)
	if err != nil {
		return http.NotFoundHandler()
	}
	list := func() []clusterapi.Health { return clusterapi.Of(e.fleet, e.shared.Parked()) }
	return clusterapi.Handler(list, string(secret.Data[historyToken]))
}

// Difference is what differs between the manifests of two syncs.
type Difference struct {
	Objects []forecast.Object `json:"objects"`
	Images  []forecast.Image  `json:"images,omitempty"`
}

// CompareSyncs tells what differs between what two syncs applied, with
// secrets masked.
func CompareSyncs(ctx context.Context, s *store.Store, a, b string) (*Difference, error) {
	before, err := s.Kept(ctx, a)
	if err != nil {
		return nil, err
	}
	after, err := s.Kept(ctx, b)
	if err != nil {
		return nil, err
	}
	hidden := append(append([]string(nil), before.Rendering.Hidden...), after.Rendering.Hidden...)
	c := object.Compare(before.Rendering.Manifests, after.Rendering.Manifests, object.Options{Hidden: hidden})
	return &Difference{Objects: c.Objects, Images: c.Images}, nil
}

// OpenHistory reads a history that an engine of this machine writes: a file
// with its key beside it.
func OpenHistory(path, keyPath string) (*store.Store, error) {
	key, err := store.FileKey(keyPath)
	if err != nil {
		return nil, err
	}
	return store.New(store.Options{URL: path, Key: key})
}
