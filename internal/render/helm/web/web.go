package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Options of a Fetcher; the zero value takes the defaults.
type Options struct {
	// Bytes bounds one file; 5 MiB when 0.
	Bytes int64
	// Time bounds one fetch; 30 s when 0.
	Time time.Duration
	// Transport is what connections are made with, for its proxies and
	// certificates; the default one when nil. Its dialer is replaced.
	Transport *http.Transport
}

// Fetcher implements helm.Files. It is safe for concurrent use.
type Fetcher struct {
	bytes   int64
	time    time.Duration
	public  *http.Transport // refuses private addresses
	private *http.Transport
}

var _ helm.Files = (*Fetcher)(nil)

// New makes a Fetcher.
func New(o Options) *Fetcher {
	f := &Fetcher{bytes: o.Bytes, time: o.Time}
	if f.bytes == 0 {
		f.bytes = 5 << 20
	}
	if f.time == 0 {
		f.time = 30 * time.Second
	}
	base := o.Transport
	if base == nil {
		base, _ = http.DefaultTransport.(*http.Transport)
	}
	f.public, f.private = egress.Direct(base), base.Clone()
	return f
}

// Close ends the connections that are kept open.
func (f *Fetcher) Close() {
	f.public.CloseIdleConnections()
	f.private.CloseIdleConnections()
}

// maxRedirects bounds how often a server may send on.
const maxRedirects = 5

// File implements helm.Files. Errors are a *gitops.Problem, but for a file
// that is not there: that is fs.ErrNotExist.
func (f *Fetcher) File(ctx context.Context, address string, rule source.Rule) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, f.time)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read a value file: its address is broken").Do("correct helm.valueFiles")
	}
	client := http.Client{Transport: router{f, rule}, CheckRedirect: checkRedirect}
	resp, err := client.Do(req)
	if err != nil {
		return nil, f.failed(req.URL, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := status(req.URL, resp.StatusCode); err != nil {
		return nil, err
	}
	return f.body(req.URL, resp)
}

func (f *Fetcher) body(u *url.URL, resp *http.Response) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(resp.Body, f.bytes+1))
	if err != nil {
		return nil, f.failed(u, err)
	}
	if int64(len(text)) > f.bytes {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read value file %s: it has more than %d bytes", shown(u), f.bytes).Do("use a smaller file")
	}
	return text, nil
}

// router sends a request the way that the rule allows, redirects as well.
type router struct {
	fetcher *Fetcher
	rule    source.Rule
}

// RoundTrip implements http.RoundTripper.
func (r router) RoundTrip(req *http.Request) (*http.Response, error) {
	named, err := r.rule.Check(req.URL)
	if err != nil {
		return nil, &refused{err}
	}
	if named {
		return r.fetcher.private.RoundTrip(req)
	}
	return r.fetcher.public.RoundTrip(req)
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	r.Header.Del("Referer") // its query may be a credential of the first host
	if len(via) > maxRedirects {
		return &refused{fmt.Errorf("it is redirected more than %d times", maxRedirects)}
	}
	return nil
}

// refused is an address that may not be read from.
type refused struct{ error }

func refusal(u *url.URL, why error) error {
	return gitops.Problemf(gitops.Invalid, "cannot read value file %s: %s", shown(u), why.Error()).
		Do("use another address, or a file in a repository")
}

func status(u *url.URL, code int) error {
	switch code {
	case http.StatusOK:
		return nil
	case http.StatusNotFound, http.StatusGone:
		return &fs.PathError{Op: "get", Path: shown(u), Err: fs.ErrNotExist}
	case http.StatusUnauthorized, http.StatusForbidden:
		return gitops.Problemf(gitops.Refused, "cannot read value file %s: the server answers %d", shown(u), code).Do("put the file into a repository, for which credentials can be given")
	}
	return gitops.Problemf(gitops.Unreachable, "cannot read value file %s: the server answers %d", shown(u), code)
}

// failed tells why a fetch failed, without what is secret in the address.
func (f *Fetcher) failed(u *url.URL, err error) error {
	var no *refused
	if errors.As(err, &no) {
		return refusal(u, no)
	}
	var private *egress.Refusal
	if errors.As(err, &private) {
		return refusal(u, private)
	}
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // it repeats the address
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return gitops.Problemf(gitops.Unreachable, "cannot read value file %s: no answer within %s", shown(u), f.time)
	}
	return gitops.Problemf(gitops.Unreachable, "cannot read value file %s: %s", shown(u), err)
}

// shown is an address without its user and query.
func shown(u *url.URL) string {
	clean := *u
	clean.User, clean.RawQuery, clean.Fragment = nil, "", ""
	return clean.String()
}
