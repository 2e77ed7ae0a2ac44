package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Rule says which addresses are asked for with the credential although they lie
// elsewhere on the repository's host than below its address: whoever writes the
// repository names them, and the credential may open more than that repository.
// Rules are compared with ==.
type Rule interface {
	// Permits has an error for what must not be read at all.
	Permits(address string) (bool, error)
	// Admits reports whether a reference is to a repository that may be read. It has
	// an error for one that must not be.
	Admits(ref gitops.SourceRef) (bool, error)
	// Key is the same for rules that permit the same.
	Key() string
}

// Everywhere is the Rule of who may read all that the credential opens.
type Everywhere struct{}

// Permits implements Rule.
func (Everywhere) Permits(string) (bool, error) { return true, nil }

// Admits implements Rule.
func (Everywhere) Admits(gitops.SourceRef) (bool, error) { return true, nil }

// Key implements Rule.
func (Everywhere) Key() string { return "everywhere" }

// Nowhere is the Rule that permits nothing.
type Nowhere struct{}

// Permits implements Rule.
func (Nowhere) Permits(string) (bool, error) { return false, nil }

// Admits implements Rule.
func (Nowhere) Admits(gitops.SourceRef) (bool, error) { return false, nil }

// Key implements Rule.
func (Nowhere) Key() string { return "nowhere" }

// Beyond is what may get the credential besides the repository itself.
type Beyond struct {
	// Rule is for the rest of the host. With none, what leads there has Elsewhere
	// for an error.
	Rule Rule
	// Passing sends it to whatever other host is asked, if it permits that.
	Passing bool
}

// Elsewhere is the cause of an error where a Rule has to be asked.
type Elsewhere struct{ Address string }

// Error names the address.
func (e *Elsewhere) Error() string {
	return gitops.PublicAddress(e.Address) + " is on the repository's host, and not below its address"
}

// Withheld is the cause of an error where the answer might be another with the
// credential.
type Withheld struct{ Elsewhere }

// signer sends one request, and those that its answers lead to.
type signer struct {
	client *Client
	beyond Beyond
	// first is what was asked for.
	first *url.URL
	// withheld is what was asked for without a credential; empty for nothing.
	withheld string
}

// admit refuses to pass on a password that must not be.
func (s *signer) admit() error {
	if !s.passes(s.first) || s.client.cred.PassCredentials {
		return nil
	}
	return gitops.Problemf(gitops.Refused, "cannot get %s: helm.passCredentials asks for the password to be sent to another host than the repository's, which its Secret does not permit",
		gitops.PublicAddress(s.first.String())).Do(`set passCredentials: "true" in the repository Secret that has the password, or take helm.passCredentials away`)
}

// passes reports whether an address is of another host that is to get the
// password. What is for a connection that is encrypted goes to no other.
func (s *signer) passes(u *url.URL) bool {
	c := s.client
	return s.beyond.Passing && c.signs() && !c.hosts(u, false) && u.Host == s.first.Host && (u.Scheme == "https" || c.at.Scheme != "https" && s.first.Scheme != "https")
}

// RoundTrip implements http.RoundTripper. Redirects come here as well.
func (s *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	c := s.client
	switch {
	case s.passes(req.URL):
		return c.ways.own.RoundTrip(c.signed(req))
	case !c.identifies() || !c.hosts(req.URL, req.Response != nil):
		return c.ways.others.RoundTrip(req)
	}
	below, err := c.owns(req.URL)
	if err != nil {
		return nil, err
	}
	permits := below
	if !below {
		if permits, err = s.permits(plain(req.URL).String()); err != nil {
			return nil, err
		}
	}
	if !permits {
		s.withheld = req.URL.String()
		return c.ways.elsewhere.RoundTrip(req)
	}
	return c.ways.own.RoundTrip(c.signed(req))
}

func (s *signer) permits(address string) (bool, error) {
	if s.beyond.Rule == nil {
		return false, &Elsewhere{address}
	}
	return s.beyond.Rule.Permits(address)
}

// hosts reports whether an address is of the repository's own server. One that
// sends on may do so to an encrypted connection.
func (c *Client) hosts(u *url.URL, redirected bool) bool {
	at, err := address.Parse(u.Scheme + "://" + u.Host)
	if err != nil {
		return false
	}
	server := at.Canonical()
	return server.Host == c.at.Host && server.Port == c.at.Port && (server.Scheme == c.at.Scheme || redirected && server.Scheme == "https")
}

// owns reports whether an address of the repository's server is below the
// repository's own. One that servers read in several ways is an error.
func (c *Client) owns(u *url.URL) (bool, error) {
	own := plain(u)
	own.Scheme = c.at.Scheme
	at, err := address.Parse(own.String())
	if err != nil {
		return false, gitops.Problemf(gitops.Invalid, "cannot get %s: %w", gitops.PublicAddress(u.String()), err).Do("build the repository's index again, with plain addresses")
	}
	return c.at.Holds(at.Canonical()), nil
}

// Reaches has Elsewhere for an error where a Rule has to be asked for an address
// before it is, whoever has kept what is there.
func (c *Client) Reaches(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return gitops.Problemf(gitops.Invalid, "%q is no web address", gitops.PublicAddress(address))
	}
	if !c.identifies() || !c.hosts(u, false) {
		return nil
	}
	below, err := c.owns(u)
	if err == nil && !below {
		err = &Elsewhere{address}
	}
	return err
}

// plain is an address without who asks.
func plain(u *url.URL) *url.URL {
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
}

// signed is a request with the credential.
func (c *Client) signed(req *http.Request) *http.Request {
	if !c.signs() {
		return req
	}
	out := req.Clone(req.Context())
	c.sign(out)
	return out
}

// explained tells of an error whether it is one because the credential was withheld.
func (s *signer) explained(err error) error {
	var p *gitops.Problem
	var private *egress.Refusal
	if s.withheld == "" || !errors.As(err, &p) || p.Kind != gitops.Refused && p.Kind != gitops.NotFound && !errors.As(err, &private) {
		return err
	}
	cause := &Withheld{Elsewhere{s.withheld}}
	return &gitops.Problem{
		Kind: gitops.Refused,
		What: fmt.Sprintf("%s; %s, so the repository's credential was not sent", p.What, cause),
		Fix:  "add the address, or the folder that it lies in, to spec.sourceRepos of the project if it is to be read",
		Err:  cause,
	}
}
