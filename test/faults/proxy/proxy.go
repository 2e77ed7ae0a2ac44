package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// Options describe a proxy.
type Options struct {
	// Upstream is the API server, with the rights that requests get.
	Upstream *rest.Config
	// Schedule picks the schedule of a request; nil leaves it alone.
	Schedule func(*http.Request) *Schedule
	// Observe is told of each write once its answer is known: 0 when none
	// came. It must not block.
	Observe func(Written)
}

// Written is a write that the API server has seen.
type Written struct {
	At      time.Time
	Method  string
	Path    string
	Dry     bool
	Status  int
	Spoiled Fault
}

// Proxy serves HTTPS with HTTP/2 on 127.0.0.1.
type Proxy struct {
	options   Options
	upstream  *url.URL
	transport http.RoundTripper
	server    *http.Server
	listener  net.Listener
	ca        []byte
	served    sync.WaitGroup
	requests  atomic.Int64

	mu       sync.Mutex
	injected map[Fault]int
	conns    map[net.Conn]bool
}

// Start starts a proxy.
func Start(o Options) (*Proxy, error) {
	p := &Proxy{options: o, injected: map[Fault]int{}, conns: map[net.Conn]bool{}}
	var err error
	if p.transport, err = rest.TransportFor(o.Upstream); err != nil {
		return nil, fmt.Errorf("cannot reach the API server: %w", err)
	}
	if p.upstream, _, err = rest.DefaultServerUrlFor(o.Upstream); err != nil {
		return nil, fmt.Errorf("cannot reach the API server: %w", err)
	}
	cert, ca, err := certificate()
	if err != nil {
		return nil, err
	}
	p.ca = ca
	var lc net.ListenConfig
	if p.listener, err = lc.Listen(context.Background(), "tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: time.Minute, ErrorLog: silent(),
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:   p.track,
	}
	p.served.Add(1)
	go func() {
		defer p.served.Done()
		_ = p.server.ServeTLS(p.listener, "", "")
	}()
	return p, nil
}

type connKey struct{}

func (p *Proxy) track(c net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(p.conns, c)
		return
	}
	p.conns[c] = true
}

// Config is what a client needs to go through the proxy.
func (p *Proxy) Config() *rest.Config {
	return &rest.Config{
		Host: "https://" + p.listener.Addr().String(), QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: p.ca},
	}
}

// Injected counts the faults so far, by kind.
func (p *Proxy) Injected() map[Fault]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[Fault]int, len(p.injected))
	for k, v := range p.injected {
		out[k] = v
	}
	return out
}

// Requests is how many have come so far.
func (p *Proxy) Requests() int64 { return p.requests.Load() }

// DropConnections closes all connections of clients.
func (p *Proxy) DropConnections() {
	p.mu.Lock()
	conns := make([]net.Conn, 0, len(p.conns))
	for c := range p.conns {
		conns = append(conns, c)
	}
	p.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
	}
}

// Close ends all requests and waits for them.
func (p *Proxy) Close() {
	_ = p.server.Close()
	p.DropConnections()
	p.served.Wait()
}

func (p *Proxy) note(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.injected[f]++
}
