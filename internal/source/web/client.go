// Package web makes HTTP clients that open repositories with a Credential,
// and turns what goes wrong into Problems without secrets.
//
// It knows nothing of what is fetched.
package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Agent is how the engine calls itself to servers.
const Agent = "causeway"

// Client sends requests to one repository with its credential, and to all
// other addresses without, see signer.
type Client struct {
	cred    access.Credential
	at      address.Canonical
	timeout time.Duration
	ways    ways
}

// ways are the transports of a Client: to the repository itself, to what lies
// elsewhere on its host, and to other hosts. The client certificate is for the
// first alone.
type ways struct{ own, elsewhere, others http.RoundTripper }

// Settings are what all requests of a Client share.
type Settings struct {
	// Timeout bounds a request with its whole answer.
	Timeout time.Duration
	// PrivateHosts reads what gets no credential, and lies elsewhere on the
	// repository's host, at private addresses as well.
	PrivateHosts bool
}

// New makes a Client for the address of a repository, without userinfo.
func New(at address.Address, cred access.Credential, s Settings) (*Client, error) {
	own, err := Transport(cred)
	if err != nil {
		return nil, err
	}
	c := &Client{cred: cred, at: at.Canonical(), timeout: s.Timeout, ways: ways{own, own, own}}
	if !c.identifies() {
		return c, nil
	}
	bare, strange := cred, cred.Anonymous()
	bare.TLSCert, bare.TLSKey = "", ""
	strange.OnlyPublic = !s.PrivateHosts
	if c.ways.others, err = Transport(bare); err != nil {
		return nil, err
	}
	c.ways.elsewhere, err = Transport(strange)
	return c, err
}

// Close ends the connections that are idle.
func (c *Client) Close() {
	for _, way := range []http.RoundTripper{c.ways.own, c.ways.elsewhere, c.ways.others} {
		(&http.Client{Transport: way}).CloseIdleConnections()
	}
}

// maxRedirects bounds how often a server may send on.
const maxRedirects = 10

func boundRedirects(_ *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("the server sends on more than %d times", maxRedirects)
	}
	return nil
}

// Transport makes the transport that a credential asks for by its certificates,
// its proxy and whether all hosts may be spoken to.
func Transport(cred access.Credential) (http.RoundTripper, error) {
	t, err := unguarded(cred)
	if err != nil {
		return nil, err
	}
	if cred.OnlyPublic {
		return egress.Guard(t), nil
	}
	return t, nil
}

func unguarded(cred access.Credential) (*http.Transport, error) {
	config, err := tlsConfig(cred)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 20 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:       config,
		TLSHandshakeTimeout:   20 * time.Second,
		ResponseHeaderTimeout: time.Minute,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       90 * time.Second,
	}
	if cred.Proxy == "" {
		return t, nil
	}
	if _, err := url.Parse(cred.Proxy.Reveal()); err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "the proxy in the repository Secret is no URL").Do("correct proxy in the repository Secret")
	}
	proxy := (&httpproxy.Config{HTTPProxy: cred.Proxy.Reveal(), HTTPSProxy: cred.Proxy.Reveal(), NoProxy: cred.NoProxy}).ProxyFunc()
	t.Proxy = func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }
	return t, nil
}

func tlsConfig(cred access.Credential) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: cred.Insecure} //nolint:gosec // the user's explicit choice
	if cred.CA != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM([]byte(cred.CA)) {
			return nil, gitops.Problemf(gitops.Invalid, "the certificate for this host is not in PEM form").Do("correct it in argocd-tls-certs-cm")
		}
		c.RootCAs = pool
	}
	if cred.TLSCert == "" {
		return c, nil
	}
	pair, err := tls.X509KeyPair([]byte(cred.TLSCert), []byte(cred.TLSKey.Reveal()))
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "the client certificate and its key do not fit").Do("correct tlsClientCertData and tlsClientCertKey in the repository Secret")
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// Get asks for an address. The credential goes along only to what lies below the
// repository's own one, on redirects as well. An answer other than 200 and 304
// is a Problem; the caller closes the body.
func (c *Client) Get(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	return c.GetBeyond(ctx, address, header, Beyond{Rule: Nowhere{}})
}

// GetBeyond is Get with the credential for some addresses more.
func (c *Client) GetBeyond(ctx context.Context, address string, header http.Header, b Beyond) (*http.Response, error) {
	req, err := request(ctx, address, header)
	if err != nil {
		return nil, err
	}
	s := &signer{client: c, beyond: b, first: req.URL}
	if err := s.admit(); err != nil {
		return nil, err
	}
	res, err := (&http.Client{Transport: s, Timeout: c.timeout, CheckRedirect: boundRedirects}).Do(req)
	if err != nil {
		return nil, s.explained(c.unreachable(address, err))
	}
	if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusNotModified {
		return res, nil
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	_ = res.Body.Close()
	return nil, s.explained(refused(address, res))
}

// signs reports whether requests have a password or token.
func (c *Client) signs() bool {
	return c.cred.BearerToken != "" || c.cred.Password != "" || c.cred.Username != ""
}

// identifies reports whether a server may open more to the Client than to others.
func (c *Client) identifies() bool { return c.signs() || c.cred.TLSCert != "" }

func request(ctx context.Context, address string, header http.Header) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "%q is no web address", gitops.PublicAddress(address))
	}
	maps.Copy(req.Header, header)
	req.Header.Set("User-Agent", Agent)
	return req, nil
}

func (c *Client) sign(req *http.Request) {
	switch {
	case c.cred.BearerToken != "":
		req.Header.Set("Authorization", "Bearer "+c.cred.BearerToken.Reveal())
	case c.cred.Password != "" || c.cred.Username != "":
		req.SetBasicAuth(c.cred.Username, c.cred.Password.Reveal())
	}
}

func (c *Client) unreachable(address string, err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	var known *gitops.Problem
	if errors.As(err, &known) {
		return known // it was not even asked
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which may hold a signature
	}
	p := &gitops.Problem{Kind: gitops.Unreachable, What: fmt.Sprintf("cannot get %s: %s", gitops.PublicAddress(address), c.cred.Redact(err.Error())), Err: err}
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		p.Fix = "add the server's certificate to argocd-tls-certs-cm"
	}
	return p
}

func refused(address string, res *http.Response) error {
	p := gitops.Problemf(gitops.Unreachable, "cannot get %s: the server answers %s", gitops.PublicAddress(address), Said(res))
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		p.Kind, p.Fix, p.Err = gitops.Refused, "check the credentials in the repository Secret", &access.Refusal{Err: p.Err}
	case http.StatusNotFound, http.StatusGone:
		p.Kind, p.Fix = gitops.NotFound, "check repoURL"
	}
	return p
}

// Said is the status of an answer without the server's own words for it, which
// may repeat what it was sent.
func Said(res *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)))
}
