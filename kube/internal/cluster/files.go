package cluster

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/causeway-gitops/causeway/kube/internal/apiserver"
	"github.com/causeway-gitops/causeway/kube/internal/home"
	"github.com/causeway-gitops/causeway/kube/internal/kubeconfig"
	"github.com/causeway-gitops/causeway/kube/internal/kubelet"
	"github.com/causeway-gitops/causeway/kube/internal/pki"
)

// files are what the components read: certificates, keys, and the kubeconfig they reach the API server with.
type files struct {
	listener                                         net.Listener
	entry                                            kubeconfig.Entry
	ca, cert, key, token, auditPolicy, ownKubeconfig string
	kubeletCert, kubeletKey                          string // what the API server shows to the kubelet
	kubelet                                          kubelet.Config
}

func prepare(ctx context.Context, h *home.Home, o Options) (files, error) {
	listener, err := h.Listen(ctx, o.Port)
	if err != nil {
		return files{}, err
	}
	f := files{
		listener:      listener,
		ca:            h.Path("ca.crt"),
		cert:          h.RunPath("apiserver.crt"),
		key:           h.RunPath("apiserver.key"),
		token:         h.Path("service-account.key"),
		auditPolicy:   h.RunPath("audit-policy.yaml"),
		ownKubeconfig: h.RunPath("components.kubeconfig"),
		kubeletCert:   h.RunPath("apiserver-kubelet.crt"),
		kubeletKey:    h.RunPath("apiserver-kubelet.key"),
	}
	authority, err := pki.LoadOrCreate(h.Dir)
	if err != nil {
		return f, err
	}
	if err := pki.TokenKey(f.token); err != nil {
		return f, err
	}
	if err := os.WriteFile(f.auditPolicy, []byte(apiserver.AuditPolicy), 0o600); err != nil {
		return f, fmt.Errorf("cannot write the audit policy: %w", err)
	}
	if err := f.issue(authority, o.Name); err != nil {
		return f, err
	}
	return f, f.prepareKubelet(ctx, authority)
}

// prepareKubelet makes what the API server and the kubelet know each other by.
func (f *files) prepareKubelet(ctx context.Context, authority *pki.Authority) error {
	caller, err := authority.Client(kubelet.User)
	if err != nil {
		return err
	}
	if err := caller.Write(f.kubeletCert, f.kubeletKey); err != nil {
		return err
	}
	serving, err := authority.Server("127.0.0.1")
	if err != nil {
		return err
	}
	listener, err := kubelet.Listen(ctx)
	if err != nil {
		return err
	}
	f.kubelet = kubelet.Config{Listener: listener, CA: authority.PEM(), Cert: serving.Cert, Key: serving.Key}
	return nil
}

// issue makes the certificates of this run.
func (f *files) issue(authority *pki.Authority, name string) error {
	serving, err := authority.Server(apiserver.Hosts...)
	if err != nil {
		return err
	}
	if err := serving.Write(f.cert, f.key); err != nil {
		return err
	}
	admin, err := authority.Client("causeway-admin", "system:masters")
	if err != nil {
		return err
	}
	f.entry = kubeconfig.Entry{
		Name:   name,
		Server: "https://" + f.listener.Addr().String(),
		CA:     authority.PEM(),
		Admin:  admin,
	}
	return kubeconfig.Write(f.ownKubeconfig, f.entry)
}
