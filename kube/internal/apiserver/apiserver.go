// Package apiserver runs kube-apiserver in this process. One a process: the upstream code cannot be started twice.
package apiserver

import (
	"context"
	"fmt"
	"net"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/causeway-gitops/causeway/kube/internal/flags"
)

// Hosts are the names that the serving certificate has to cover: ours, and those that pods know the API server by.
var Hosts = []string{
	"127.0.0.1", "localhost", "10.96.0.1",
	"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
}

const (
	serviceRange = "10.96.0.0/16"
	issuer       = "https://kubernetes.default.svc.cluster.local"
)

// Config is what an API server needs to know; the files are PEM.
type Config struct {
	Listener    net.Listener
	Etcd        string // endpoint
	CAFile      string
	CertFile    string
	KeyFile     string
	TokenFile   string // private key of service account tokens
	KubeletCert string // client certificate for kubelets
	KubeletKey  string
	AuditLog    string // empty: no audit log
	AuditPolicy string
	// Encryption is the file that says how objects are encrypted at rest. Empty: they are not.
	Encryption string
	// APIOnly switches off the admission that counts on controllers which do not run.
	APIOnly bool
}

// Run serves until ctx ends.
func Run(ctx context.Context, c Config) error {
	opts := options.NewServerRunOptions()
	if err := flags.Parse("kube-apiserver", opts.Flags(), args(c)); err != nil {
		return err
	}
	opts.SecureServing.Listener = c.Listener
	registry := opts.GenericServerRunOptions.ComponentGlobalsRegistry
	if err := registry.Set(); err != nil {
		return fmt.Errorf("cannot set feature gates: %w", err)
	}
	opts.GenericServerRunOptions.ComponentGlobalsRegistry = releasedRegistry{registry}
	completed, err := opts.Complete(ctx)
	if err != nil {
		return fmt.Errorf("cannot set up kube-apiserver: %w", err)
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return fmt.Errorf("cannot set up kube-apiserver: %w", utilerrors.NewAggregate(errs))
	}
	if err := app.Run(ctx, completed); err != nil {
		return fmt.Errorf("kube-apiserver stopped: %w", err)
	}
	return nil
}

func args(c Config) flags.Args {
	a := flags.Args{
		"advertise-address":                "127.0.0.1",
		"allow-privileged":                 "true",
		"authorization-mode":               "RBAC",
		"bind-address":                     "127.0.0.1",
		"client-ca-file":                   c.CAFile,
		"endpoint-reconciler-type":         "none",
		"etcd-servers":                     c.Etcd,
		"kubelet-certificate-authority":    c.CAFile,
		"kubelet-client-certificate":       c.KubeletCert,
		"kubelet-client-key":               c.KubeletKey,
		"kubelet-preferred-address-types":  "InternalIP",
		"profiling":                        "false",
		"service-account-issuer":           issuer,
		"service-account-key-file":         c.TokenFile,
		"service-account-signing-key-file": c.TokenFile,
		"service-cluster-ip-range":         serviceRange,
		"tls-cert-file":                    c.CertFile,
		"tls-private-key-file":             c.KeyFile,
	}
	if c.APIOnly {
		a["disable-admission-plugins"] = "ServiceAccount,StorageObjectInUseProtection"
	}
	if c.Encryption != "" {
		a["encryption-provider-config"] = c.Encryption
	}
	if c.AuditLog != "" {
		a["audit-log-path"] = c.AuditLog
		a["audit-policy-file"] = c.AuditPolicy
	}
	return a
}
