// Package kubelet answers what the API server asks of a node about its containers: their logs. No container runs, so
// the lines are told from the pod's status: that the container started, got ready, ended.
//
// One server answers for all nodes, on loopback, and for the API server alone. Nothing can be executed, attached to
// or forwarded.
package kubelet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/klog/v2"
)

// User is whom the API server has to prove to be.
const User = "kube-apiserver-kubelet-client"

// headerWithin keeps a connection that says nothing from being held open.
const headerWithin = 10 * time.Second

// Listen opens a free port on loopback.
func Listen(ctx context.Context) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot find a free port for the kubelet: %w", err)
	}
	return listener, nil
}

// Port is the number that nodes have to name in their status.
func Port(listener net.Listener) uint16 {
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return address.AddrPort().Port()
}

// Config is what the server needs to know; certificates are PEM.
type Config struct {
	Listener net.Listener
	CA       []byte // who signs the API server's client certificate
	Cert     []byte
	Key      []byte
	Pods     corev1.PodsGetter
}

// Run serves until ctx ends.
func Run(ctx context.Context, c Config) error {
	security, err := c.tls()
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler(c.Pods),
		TLSConfig:         security,
		ReadHeaderTimeout: headerWithin,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          klog.NewStandardLogger("WARNING"),
	}
	// Who follows a log would hold up a polite shutdown.
	over := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer over()
	if err := server.ServeTLS(c.Listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the kubelet stopped: %w", err)
	}
	return nil
}

func (c Config) tls() (*tls.Config, error) {
	pair, err := tls.X509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, fmt.Errorf("cannot use the certificate of the kubelet: %w", err)
	}
	callers := x509.NewCertPool()
	if !callers.AppendCertsFromPEM(c.CA) {
		return nil, errors.New("cannot use the certificate authority of the kubelet's callers")
	}
	return &tls.Config{
		MinVersion:       tls.VersionTLS13,
		Certificates:     []tls.Certificate{pair},
		ClientAuth:       tls.RequireAndVerifyClientCert,
		ClientCAs:        callers,
		VerifyConnection: fromAPIServer,
	}, nil
}

// fromAPIServer keeps out other clients of the cluster: what they may read is for the API server to decide.
func fromAPIServer(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 || state.PeerCertificates[0].Subject.CommonName != User {
		return errors.New("only the API server may ask the kubelet")
	}
	return nil
}
