package oci

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// keeper keeps credentials with their registry. A registry says by itself, to
// whoever asks, where its tokens are got: the client would take the password
// to any address.
//
// Registries do use another host for it: auth.docker.io is that of
// registry-1.docker.io, and GitLab's is the same name at another port. So the
// registry's own domain is believed, by TLS. The rest an operator names.
type keeper struct {
	next     http.RoundTripper
	registry *url.URL
	// token is the host that the repository's Secret names.
	token string
}

// spokenTo is where a registry is spoken to.
func spokenTo(plain bool, host string) *url.URL {
	if plain {
		return &url.URL{Scheme: "http", Host: host}
	}
	return &url.URL{Scheme: "https", Host: host}
}

// RoundTrip implements http.RoundTripper.
func (k keeper) RoundTrip(req *http.Request) (*http.Response, error) {
	if !carries(req) || k.believes(req.URL) {
		return k.next.RoundTrip(req)
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	host := req.URL.Scheme + "://" + req.URL.Host
	p := gitops.Problemf(gitops.Refused, "the registry %s has its tokens got at %s, which gets no credential of it", k.registry.Host, host).
		Do("if that host is to be believed and speaks https, name it in the key ociTokenHost of the Secret with the credential")
	p.Err = &access.Refusal{Err: p.Err}
	return nil, p
}

// carries reports whether a request takes a credential along: in its header, or
// in the form by which tokens are asked for.
func carries(req *http.Request) bool {
	return req.Header.Get("Authorization") != "" || req.Body != nil && req.Body != http.NoBody
}

func (k keeper) believes(at *url.URL) bool {
	if at.Scheme == k.registry.Scheme && withPort(at) == withPort(k.registry) {
		return true
	}
	if at.Scheme != "https" {
		return false
	}
	if k.token != "" && withPort(at) == withPort(&url.URL{Scheme: "https", Host: k.token}) {
		return true
	}
	return strings.EqualFold(at.Hostname(), k.registry.Hostname()) || sameDomain(at.Hostname(), k.registry.Hostname())
}

func withPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = gitops.UsualPort(u.Scheme)
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// sameDomain reports whether two hosts belong to whoever registered one domain.
// Addresses have none, and what is below localhost is this machine's.
func sameDomain(a, b string) bool {
	return registered(a) != "" && registered(a) == registered(b)
}

func registered(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	return domain
}
