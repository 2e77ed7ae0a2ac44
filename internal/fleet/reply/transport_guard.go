package reply

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Guard holds all clients that are made of a config from now on to what the
// cluster may answer. The name is asked for when an error is told.
func Guard(cfg *rest.Config, name func() string) {
	base := ""
	if u, _, err := rest.DefaultServerUrlFor(cfg); err == nil { // else no client can be made of it
		base = strings.TrimSuffix(u.Path, "/")
	}
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &guard{next, base, name} })
}

// guard stands right before the transport that unpacks answers: what it counts
// is what a client would keep.
type guard struct {
	next http.RoundTripper
	base string // path of the cluster's address
	name func() string
}

// RoundTrip implements http.RoundTripper.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := g.next.RoundTrip(inJSON(r))
	switch {
	case err != nil:
		return got, err
	case leads(got):
		if got.Body != nil {
			_ = got.Body.Close()
		}
		return nil, &Redirect{Cluster: g.name(), Request: g.asked(r), To: where(r.URL, got.Header.Get("Location"))}
	case got.Body == nil, got.StatusCode == http.StatusSwitchingProtocols:
		return got, nil
	case isOtherForm(got.Header.Get("Content-Type")):
		_ = got.Body.Close()
		return nil, &Form{Cluster: g.name(), Request: g.asked(r), Form: gitops.First(got.Header.Get("Content-Type"), mostShown)}
	}
	boundWait(got.Header)
	if got.Header.Get("Content-Type") == "" { // a client would take it for the form that it likes best
		got.Header.Set("Content-Type", "application/json")
	}
	got.Body = g.bound(r, got)
	return got, nil
}

// WrappedRoundTripper lets idle connections be closed.
func (g *guard) WrappedRoundTripper() http.RoundTripper { return g.next }

// bound is the body of an answer, as far as it is read.
func (g *guard) bound(r *http.Request, got *http.Response) io.ReadCloser {
	path, ok := strings.CutPrefix(r.URL.Path, g.base)
	if !ok {
		path = r.URL.Path
	}
	over := &TooLarge{Cluster: g.name(), Request: g.asked(r)}
	body, all := got.Body, allowanceOf(r)
	if all != nil {
		body = all.within(body, over)
	}
	most := boundOf(r, path, got.StatusCode)
	if most.bytes == 0 {
		return body
	}
	over.Most = most.bytes
	m := &measured{ReadCloser: body, meter: bounded.NewMeter(most.cost), memory: most.memory, all: all, over: over}
	switch {
	case isWatch(r) && got.StatusCode < http.StatusMultipleChoices:
		over.Event, m.each = true, most.bytes
	case got.ContentLength > most.bytes:
		m.ReadCloser = bounded.Body(body, -1, over)
	default:
		m.ReadCloser = bounded.Body(body, most.bytes, over)
	}
	return m
}

// asked names a request.
func (*guard) asked(r *http.Request) string {
	return r.Method + " " + gitops.First(cmp.Or(r.URL.Path, "/"), mostShown)
}

// leads tells a redirect that HTTP clients follow.
func leads(got *http.Response) bool {
	switch got.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// where is the server that a redirect leads to, without what else it says.
func where(from *url.URL, location string) string {
	to, err := from.Parse(location)
	switch {
	case err != nil || location == "" || to.Host == "":
		return "nowhere"
	case to.Scheme == from.Scheme && to.Host == from.Host:
		return "another path of its own"
	}
	return fmt.Sprintf("%q", gitops.First(to.Scheme+"://"+to.Host, mostShown))
}

// mostShown bounds what is repeated of an answer, in bytes.
const mostShown = 200
