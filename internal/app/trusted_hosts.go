package app

import (
	"context"
	"maps"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/hub"
)

// believe keeps what hosts the sources believe as the ConfigMaps say, until
// ctx ends. They are read once an interval: two names cannot be watched
// without the right to watch them all.
func (e *Engine) believe(ctx context.Context) error {
	tick := time.NewTicker(e.cfg.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			e.readTrust(ctx, e.manager.GetAPIReader())
		}
	}
}

// readTrust reads both ConfigMaps. One that cannot be read leaves what was
// known as it is.
func (e *Engine) readTrust(ctx context.Context, c client.Reader) {
	trust, err := hub.Trust(ctx, c, e.cfg.Namespace)
	if err != nil {
		if ctx.Err() == nil {
			e.cfg.Log.WarnContext(ctx, "what hosts are believed stays as it is", "error", err)
		}
		return
	}
	if trust.KnownHosts == e.trust.KnownHosts && maps.Equal(trust.CAs, e.trust.CAs) {
		return
	}
	e.trust = trust
	e.access.Trust(trust)
	e.sources.CredentialsChanged()
}
