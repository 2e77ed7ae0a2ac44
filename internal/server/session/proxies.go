package session

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

// maxHops bounds how many proxies a request may have come by.
const maxHops = 32

// Proxies are networks of proxies whose word counts on where a request came
// from. Headers of anybody else are made up, for all that is known.
type Proxies []netip.Prefix

// ParseProxies reads networks, such as 10.0.0.0/8, and single addresses.
func ParseProxies(texts []string) (Proxies, error) {
	var out Proxies
	for _, text := range texts {
		if one, err := netip.ParseAddr(text); err == nil {
			out = append(out, netip.PrefixFrom(one.Unmap(), one.Unmap().BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no network of proxies: write it as 10.0.0.0/8, or as an address", text)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

func (p Proxies) has(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// Wrap gives requests the address that they came from before the proxies, which
// limits go by and the audit tells. Without proxies nothing changes.
func (p Proxies) Wrap(next http.Handler) http.Handler {
	if len(p) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, ok := origin.Addr(r.RemoteAddr)
		if !ok || !p.has(peer) {
			r.Header.Del("X-Forwarded-Proto") // whoever is no proxy knows how they came themselves
			next.ServeHTTP(w, r)
			return
		}
		if from := p.origin(r.Header, peer); from != peer {
			r = r.Clone(r.Context())
			r.RemoteAddr = net.JoinHostPort(from.String(), "0")
		}
		next.ServeHTTP(w, r)
	})
}

// origin is the last address on the way that is no proxy. A proxy adds to one
// of two headers, and passes on what a sender put into the other: where they
// do not agree, neither is believed.
func (p Proxies) origin(h http.Header, peer netip.Addr) netip.Addr {
	by := p.before(hops(h.Values("X-Forwarded-For")), peer)
	standard := h.Values("Forwarded")
	if len(standard) == 0 {
		return by
	}
	other := p.before(forwarded(standard), peer)
	if len(h.Values("X-Forwarded-For")) == 0 {
		return other
	}
	if other != by {
		return peer
	}
	return by
}

// before goes back from the server, as far as proxies tell.
func (p Proxies) before(way []string, peer netip.Addr) netip.Addr {
	at := peer
	for i := len(way) - 1; i >= 0 && len(way)-i <= maxHops; i-- {
		a, ok := origin.Addr(way[i])
		if !ok {
			return at
		}
		if at = a; !p.has(a) {
			return at
		}
	}
	return at
}

func hops(values []string) []string {
	var out []string
	for text := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// forwarded are the senders of RFC 7239: for=192.0.2.60, for="[2001:db8::1]:4711".
func forwarded(values []string) []string {
	var out []string
	for _, hop := range hops(values) {
		from := "unknown"
		for pair := range strings.SplitSeq(hop, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			if strings.EqualFold(name, "for") {
				from = strings.Trim(value, `"`)
			}
		}
		out = append(out, from)
	}
	return out
}
