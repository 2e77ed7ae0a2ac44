// Package origin knows where requests come from, and shares among networks what anybody may use up who is nobody yet:
// places before an issuer, before a hash, before the API server. It does not know what a place is used for, nor who
// somebody is.
package origin

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// What one has of IPv6, in bits: a customer of a provider, who has more addresses there than could be counted, and the
// least that organisations are given, who have many such networks.
const (
	networkOf6 = 64
	siteOf6    = 48
)

type contextKey struct{}

// With is a context of a request from an address.
func With(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, contextKey{}, address)
}

// From is the address of a request; empty where nobody knows it.
func From(ctx context.Context) string {
	address, _ := ctx.Value(contextKey{}).(string)
	return address
}

// Sender is the address that a request came from, as its connection has it: headers
// can be made up. Proxies that are named have put the address of whom they forward there.
func Sender(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Addr reads an address, with a port or without.
func Addr(text string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return a.Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddrPort(text)
	return a.Addr().Unmap().WithZone(""), err == nil
}

// Network is what limits of senders go by: an address of IPv4, and the /64 of one of IPv6.
func Network(address string) string { return masked(address, networkOf6) }

// Site is what one organisation has many networks of IPv6 in, a /48; each address of IPv4 is a site.
func Site(address string) string { return masked(address, siteOf6) }

func masked(address string, bits int) string {
	a, ok := Addr(address)
	if !ok {
		return address
	}
	if a.Is6() {
		return netip.PrefixFrom(a, bits).Masked().String()
	}
	return a.String()
}
