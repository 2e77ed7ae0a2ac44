package egress

import (
	"net/http"
	"net/url"
)

// Direct is a transport like another one that connects to public hosts alone,
// and by no proxy: that would connect in its place, without the rule.
func Direct(base *http.Transport) *http.Transport {
	t := base.Clone()
	t.Proxy, t.DialContext, t.DialTLSContext = nil, Dial, nil
	return t
}

// Guard is Direct, but for requests that the transport has a proxy for: of
// these the proxy decides.
func Guard(base *http.Transport) http.RoundTripper {
	if base.Proxy == nil {
		return Direct(base)
	}
	return &guard{direct: Direct(base), proxied: base, proxy: base.Proxy}
}

type guard struct {
	direct, proxied *http.Transport
	proxy           func(*http.Request) (*url.URL, error)
}

// RoundTrip implements http.RoundTripper. Redirects come here as well.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if via, err := g.proxy(req); err != nil || via != nil {
		return g.proxied.RoundTrip(req)
	}
	return g.direct.RoundTrip(req)
}

// CloseIdleConnections lets http.Client close them.
func (g *guard) CloseIdleConnections() {
	g.direct.CloseIdleConnections()
	g.proxied.CloseIdleConnections()
}
