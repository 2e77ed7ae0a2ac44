package egress

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// Proxy is a proxy on this machine for a program that speaks HTTP by itself:
// whatever that asks for, also on redirects, is connected to here.
type Proxy struct {
	server  *http.Server
	direct  *http.Transport
	address string
	token   string
	forward *httputil.ReverseProxy
	ctx     context.Context //nolint:containedctx // the life of the proxy, which tunnels end with
	end     context.CancelFunc
	serving sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	refusal *Refusal
}

// Dialer connects to a host. Dial is one.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Listen starts a Proxy that connects with a Dialer; Close ends it. Only who
// knows its URL is served.
func Listen(dial Dialer) (*Proxy, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot listen on this machine: %w", err)
	}
	p := &Proxy{address: l.Addr().String(), token: rand.Text()}
	p.direct = &http.Transport{DialContext: dial, DisableCompression: true, ResponseHeaderTimeout: time.Minute}
	p.ctx, p.end = context.WithCancel(context.Background())
	quiet := log.New(io.Discard, "", 0) // who uses it is told, by Refusal or by an answer
	p.forward = &httputil.ReverseProxy{
		Rewrite:       func(*httputil.ProxyRequest) {}, // the address is a whole one
		Transport:     p.direct,
		FlushInterval: -1, ErrorLog: quiet,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { p.fail(w, err) },
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute, ErrorLog: quiet, BaseContext: func(net.Listener) context.Context { return p.ctx }}
	p.serving.Go(func() { _ = p.server.Serve(l) }) // it ends by Close alone
	return p, nil
}

// URL is the address of the proxy, with the password that it asks for.
func (p *Proxy) URL() *url.URL {
	return &url.URL{Scheme: "http", User: url.UserPassword("engine", p.token), Host: p.address}
}

// Refusal is why it refused to connect last; nil where it never did.
func (p *Proxy) Refusal() *Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refusal
}

// Close ends all connections and waits for what serves them.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.end()
	_ = p.server.Close()
	p.serving.Wait()
	p.direct.CloseIdleConnections()
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if !p.enter() {
		return
	}
	defer p.serving.Done()
	switch {
	case !p.knows(req):
		w.Header().Set("Proxy-Authenticate", `Basic realm="engine"`)
		http.Error(w, "who is it?", http.StatusProxyAuthRequired)
	case req.Method == http.MethodConnect:
		p.tunnel(w, req)
	case req.URL.Scheme != "http" || req.URL.Host == "":
		http.Error(w, "this is a proxy", http.StatusBadRequest)
	default:
		p.forward.ServeHTTP(w, req)
	}
}

// enter counts who is served, until the end.
func (p *Proxy) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.serving.Add(1)
	}
	return !p.ended
}

func (p *Proxy) knows(req *http.Request) bool {
	asking := http.Request{Header: http.Header{"Authorization": req.Header["Proxy-Authorization"]}}
	_, token, _ := asking.BasicAuth()
	return subtle.ConstantTimeCompare([]byte(token), []byte(p.token)) == 1
}

func (p *Proxy) fail(w http.ResponseWriter, err error) {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		http.Error(w, "cannot connect", http.StatusBadGateway)
		return
	}
	p.mu.Lock()
	p.refusal = refusal
	p.mu.Unlock()
	http.Error(w, refusal.Error(), http.StatusForbidden)
}
