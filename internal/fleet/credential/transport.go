package credential

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/connrotation"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Options describe a connection to an API server.
type Options struct {
	TLS                transport.TLSConfig
	Proxy              func(*http.Request) (*url.URL, error)
	DisableCompression bool
	Source             Source
	// Identity tells connections apart: the same settings have the same one.
	Identity [32]byte
	// Pause is how long a new credential is used whatever it says of its end,
	// and a source that failed is left alone; half a minute and 5 seconds when 0.
	Pause time.Duration
}

// Transport sends requests with a source's credentials. A request that is
// refused for them is sent once more with new ones.
type Transport struct {
	identity [32]byte
	base     *http.Transport
	kept     *kept
	conns    *connrotation.Dialer
}

// dialPatience and handshakePatience are client-go's own.
const (
	dialPatience      = 30 * time.Second
	handshakePatience = 10 * time.Second
	idleConnsPerHost  = 25
)

// NewTransport makes a transport that has connected to nothing yet.
func NewTransport(o Options) (*Transport, error) {
	t := &Transport{identity: o.Identity, kept: newKept(o.Source, o.Pause)}
	t.conns = connrotation.NewDialer((&net.Dialer{Timeout: dialPatience, KeepAlive: dialPatience}).DialContext)
	o.TLS.GetCertHolder = &transport.GetCertHolder{GetCert: t.certificate}
	config, err := transport.TLSConfigFor(&transport.Config{TLS: o.TLS})
	if err != nil {
		return nil, err
	}
	proxy := o.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	t.base = utilnet.SetTransportDefaults(&http.Transport{
		Proxy: proxy, DialContext: t.conns.DialContext, TLSClientConfig: config,
		TLSHandshakeTimeout: handshakePatience, MaxIdleConnsPerHost: idleConnsPerHost, DisableCompression: o.DisableCompression,
	})
	return t, nil
}

// Same reports whether another transport has the same settings.
func (t *Transport) Same(other *Transport) bool { return t.identity == other.identity }

// certificate is asked for at each handshake.
func (t *Transport) certificate() (*tls.Certificate, error) {
	ctx, cancel := context.WithTimeout(context.Background(), getPatience)
	defer cancel()
	c, err := t.kept.get(ctx)
	if err != nil || c.Certificate == nil {
		return nil, err //nolint:nilnil // none: the token is enough
	}
	return c.Certificate, nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c, err := t.kept.get(r.Context())
	if err != nil {
		return nil, refusal(err)
	}
	answer, err := t.send(r, c)
	if err != nil || answer.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return answer, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
	_ = answer.Body.Close()
	renewed, err := t.kept.instead(r.Context(), c)
	if err != nil {
		return nil, refusal(err)
	}
	if c.Certificate != nil {
		t.conns.CloseAll() // they were made with the old certificate
	}
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return nil, fmt.Errorf("cannot repeat the request: %w", err)
		}
	}
	return t.send(again, renewed)
}

// send sends a request with a credential, and remembers that it was taken.
func (t *Transport) send(r *http.Request, c *Credential) (*http.Response, error) {
	answer, err := t.base.RoundTrip(with(r, c))
	if err == nil && answer.StatusCode != http.StatusUnauthorized {
		t.kept.taken(c)
	}
	return answer, err
}

// with is a request with a credential; the original stays as it is.
func with(r *http.Request, c *Credential) *http.Request {
	if c.Token == "" {
		return r.Clone(r.Context())
	}
	out := r.Clone(r.Context())
	out.Header.Set("Authorization", "Bearer "+c.Token)
	return out
}

// CloseIdleConnections closes what is not in use.
func (t *Transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// refusal tells a credential that cannot be had from a cluster that does not answer.
func refusal(err error) error {
	if errors.Is(err, errStillRefused) {
		return gitops.Problemf(gitops.Refused, "the API server answers 401 Unauthorized, and %w: another one is got every %s at last", err, mostPause)
	}
	return gitops.Problemf(gitops.Refused, "cannot get a credential: %w", err)
}
