// Package wire is the one HTTP client that talks to Git hosts: it bounds time
// and size, keeps to rate limits, tries again what may pass, and turns what
// goes wrong into Problems that name the host and no secret.
//
// It knows no host's API.
package wire

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	defaultTimeout = time.Minute
	defaultMaxWait = 30 * time.Second
	defaultMaxBody = 32 << 20
	defaultRetries = 3
	idle           = 30 * time.Second
)

// Options say who is asked, and how patiently. Zero values are defaults.
type Options struct {
	// Subject names for people what is asked: "the GitHub organisation acme
	// (api.github.com)". It opens each error.
	Subject string
	// Fix is what to do when credentials are refused: "check tokenRef". It
	// may be empty.
	Fix string
	// CA are certificates in PEM form that are trusted besides the system's.
	CA string
	// Insecure does not check the server's certificate.
	Insecure bool
	// Timeout bounds one request with its whole answer; a minute.
	Timeout time.Duration
	// MaxBody bounds an answer, in bytes; 32 MiB.
	MaxBody int64
	// MaxWait bounds all waiting of one request, for rate limits and between
	// attempts; 30 s. A limit that lasts longer is a Problem at once.
	MaxWait time.Duration
	// Clock tells time; the real one when nil.
	Clock Clock
	// Sign adds credentials to a request; nil when the host's client does.
	Sign func(*http.Request) error
	// Host, with its port where the address has one, is the only one that
	// requests may go to; any when empty.
	Host string
	// JSON takes only JSON for a successful answer to a GET. Some clients read
	// an empty answer as an empty list, which would delete what it made.
	JSON bool
}

// Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

type realClock struct{}

func (realClock) Now() time.Time                         { return time.Now() }
func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// New makes a client. Its errors are Problems, or the context's own error
// when that was cancelled; see Explain for errors that a host's API client
// has wrapped. Answers that are no success come as errors too (see Code), so
// that their reader sees answers of its own kind only.
func New(o Options) (*http.Client, error) {
	base, err := connections(o)
	if err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.MaxWait <= 0 {
		o.MaxWait = defaultMaxWait
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.Subject == "" {
		o.Subject = "the Git host"
	}
	return &http.Client{Transport: &transport{Options: o, base: base}, CheckRedirect: stayAtHost(o)}, nil
}

// stayAtHost refuses redirects to another host, which would get the
// credentials: the token headers of some hosts are unknown to net/http, so it
// would hand them on.
func stayAtHost(o Options) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return gitops.Problemf(gitops.Unreachable, "cannot read %s: it redirects without end", o.Subject)
		}
		if first := via[0].URL; !strings.EqualFold(first.Host, req.URL.Host) || first.Scheme == "https" && req.URL.Scheme != "https" {
			return gitops.Problemf(gitops.Refused, "cannot read %s: it redirects to %s, where credentials must not go", o.Subject, req.URL.Host).Do(fixOr(o, "check the api address and the token"))
		}
		return nil
	}
}

func fixOr(o Options, fix string) string {
	if o.Fix != "" {
		return o.Fix
	}
	return fix
}

// Clients without certificates of their own share connections.
var (
	checked   = sync.OnceValue(func() *http.Transport { return dial(&tls.Config{MinVersion: tls.VersionTLS12}) })
	unchecked = sync.OnceValue(func() *http.Transport {
		return dial(&tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}) //nolint:gosec // the user's explicit choice
	})
)

func connections(o Options) (*http.Transport, error) {
	switch {
	case o.Insecure:
		return unchecked(), nil
	case o.CA == "":
		return checked(), nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM([]byte(o.CA)) {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: the certificate authority of caRef is not in PEM form", o.Subject).Do("correct the ConfigMap that caRef names")
	}
	return dial(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}), nil
}

func dial(c *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 20 * time.Second, KeepAlive: idle}).DialContext,
		TLSClientConfig:       c,
		TLSHandshakeTimeout:   20 * time.Second,
		ResponseHeaderTimeout: time.Minute,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       idle,
	}
}
