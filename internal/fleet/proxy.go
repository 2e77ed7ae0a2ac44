package fleet

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
)

// hideProxy keeps the password of a proxy out of errors: where a proxy refuses, its
// own words are the error, and may repeat what it was sent.
func (c Connection) hideProxy(cfg *rest.Config) {
	u, err := url.Parse(c.ProxyURL)
	if err != nil {
		return // such a connection was refused
	}
	password, ok := u.User.Password()
	if !ok || password == "" {
		return
	}
	basic := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
	var hidden []string
	for _, secret := range []string{basic, password, url.QueryEscape(password), url.PathEscape(password)} {
		hidden = append(hidden, secret, "[redacted]")
	}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &discreet{next, strings.NewReplacer(hidden...)} })
}

// discreet sends requests, and leaves secrets out of errors.
type discreet struct {
	next   http.RoundTripper
	hidden *strings.Replacer
}

// RoundTrip implements http.RoundTripper.
func (d *discreet) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(r)
	if err == nil {
		return resp, nil
	}
	text := err.Error()
	told := d.hidden.Replace(text)
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
