package listener

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// At says where people and programs reach the product.
type At struct {
	// Listen is the address of the browser's pages and the API; empty for none.
	Listen string
	// Listener is used instead of Listen when it is set.
	Listener net.Listener
	// CertFile and KeyFile are those of TLS; without them it is served in the clear.
	CertFile, KeyFile string
	// GenerateTLS makes a certificate instead, for TLSHosts besides the names of
	// the Service, unless Argo CD's Secret has one.
	GenerateTLS bool
	TLSHosts    []string
	// Proxies tell where requests came from.
	Proxies session.Proxies
	// Exec switches terminals in containers on, unless argocd-cm says otherwise.
	Exec bool
	// First is a password of the admin that counts until there is another one.
	First password.Hash
}

// Times that bound a client of the API. What streams has no bound on writing.
const (
	apiHeaderTime = 10 * time.Second
	apiIdleTime   = 2 * time.Minute
	maxHeader     = 64 << 10
	// closeTime is how long answers may take to end.
	closeTime = 5 * time.Second
)

// Bounds of what clients of the API have the server hold, whoever they are. One
// network has most of each: all who come by a proxy are one where it is not
// named as one.
const (
	// connectionsAll are connections, connectionsEach those of one network or site, and
	// connectionsKept those that known ones alone have: each page that follows changes
	// may have one of its own.
	connectionsAll  = 6000
	connectionsEach = 4000
	connectionsKept = 1000
	// streamsEach are requests at a time of one connection of HTTP/2.
	streamsEach = 100
	// idleWrites is how long a connection may take nothing of what is written.
	idleWrites = time.Minute
)

// Answer answers requests by t until ctx ends.
func (s *At) Answer(ctx context.Context, t *Transport, handler http.Handler, known *origin.Known) (err error) {
	l := s.Listener
	if l == nil {
		var lc net.ListenConfig
		if l, err = lc.Listen(ctx, "tcp", s.Listen); err != nil {
			return fmt.Errorf("cannot listen on %s: %w; choose another address with --serve", s.Listen, err)
		}
	}
	l = Few(l, origin.Share{All: connectionsAll, Site: connectionsEach, Network: connectionsEach, Kept: connectionsKept}, known)
	server := &http.Server{
		Handler:           s.Proxies.Wrap(t.wrap(handler)),
		TLSConfig:         t.config(),
		ReadHeaderTimeout: apiHeaderTime,
		IdleTimeout:       apiIdleTime,
		MaxHeaderBytes:    maxHeader,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streamsEach, WriteByteTimeout: idleWrites},
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	defer ShutDown(ctx, server)()
	if server.TLSConfig != nil {
		err = server.ServeTLS(l, "", "")
	} else {
		err = server.Serve(l)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot serve pages: %w", err)
	}
	return nil
}

// ShutDown ends a server when ctx ends. The function that comes back waits until
// nobody is answered any more: what the answers use is closed then.
func ShutDown(ctx context.Context, server *http.Server) (wait func()) {
	down := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(down)
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		if server.Shutdown(bounded) != nil {
			_ = server.Close() // who is still read or written to is cut off
		}
	})
	return func() {
		if !stop() {
			<-down
		}
	}
}
