package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/source"
)

// The ConfigMaps of Argo CD that say which hosts to believe.
const (
	knownHostsMap = "argocd-ssh-known-hosts-cm"
	knownHostsKey = "ssh_known_hosts"
	tlsCertsMap   = "argocd-tls-certs-cm"
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
	trust, err := trustAt(ctx, c, e.cfg.Namespace)
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

// trustAt reads which hosts an installation believes.
func trustAt(ctx context.Context, c client.Reader, namespace string) (source.Trust, error) {
	hosts, err1 := follow.Read(ctx, c, namespace, knownHostsMap)
	certs, err2 := follow.Read(ctx, c, namespace, tlsCertsMap)
	if err := errors.Join(err1, err2); err != nil {
		return source.Trust{}, fmt.Errorf("cannot read which hosts to believe: %w", err)
	}
	return source.Trust{KnownHosts: hosts[knownHostsKey], CAs: certs}, nil
}
