package hub

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/source"
)

// The ConfigMaps of Argo CD that say which hosts to believe.
const (
	KnownHostsMap = "argocd-ssh-known-hosts-cm"
	KnownHostsKey = "ssh_known_hosts"
	TLSCertsMap   = "argocd-tls-certs-cm"
)

// Trust reads which hosts an installation believes.
func Trust(ctx context.Context, c client.Reader, namespace string) (source.Trust, error) {
	hosts, err1 := follow.Read(ctx, c, namespace, KnownHostsMap)
	certs, err2 := follow.Read(ctx, c, namespace, TLSCertsMap)
	if err := errors.Join(err1, err2); err != nil {
		return source.Trust{}, fmt.Errorf("cannot read which hosts to believe: %w", err)
	}
	return source.Trust{KnownHosts: hosts[KnownHostsKey], CAs: certs}, nil
}
