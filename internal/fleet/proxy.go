package fleet

import (
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/source/access"
)

// hideProxy keeps the password of a proxy out of errors: where a proxy refuses, its
// own words are the error, and may repeat what it was sent.
func (c Connection) hideProxy(cfg *rest.Config) {
	if c.ProxyURL == "" {
		return
	}
	proxy := access.Credential{Proxy: access.Secret(c.ProxyURL)}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &discreet{next, proxy.Redact} })
}

// discreet sends requests, and leaves secrets out of errors.
type discreet struct {
	next   http.RoundTripper
	hidden func(string) string
}

// RoundTrip implements http.RoundTripper.
func (d *discreet) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(r)
	if err == nil {
		return resp, nil
	}
	text := err.Error()
	told := d.hidden(text)
	if told == text {
		return resp, err
	}
	return resp, &hiddenError{told, err}
}

// WrappedRoundTripper is for who closes idle connections.
func (d *discreet) WrappedRoundTripper() http.RoundTripper { return d.next }

// hiddenError is another error, in words without secrets.
type hiddenError struct {
	told  string
	cause error
}

// Error implements error.
func (e *hiddenError) Error() string { return e.told }

// Unwrap is what it was.
func (e *hiddenError) Unwrap() error { return e.cause }
