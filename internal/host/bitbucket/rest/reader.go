// Package rest reads the JSON of Bitbucket's APIs, Cloud and Server, as their
// documentation describes it.
//
// The known Go clients of both (ktrysmt/go-bitbucket, gfleury/go-bitbucket-v1)
// are not used, for what a listing would lose by them: the first cannot be
// cancelled, and takes a following page that is no JSON for an empty one; the
// second puts names into addresses unescaped, and takes any JSON object for
// an empty last page. A list that is too short deletes applications.
package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// ErrNoContent is an answer that says there is nothing (204).
var ErrNoContent = errors.New("the server has nothing to answer")

// Reader asks one API. Its errors are Problems.
type Reader struct {
	http    *http.Client
	base    *url.URL
	subject string
}

// New makes a Reader for the API at an address, which may end with a slash.
// The address's host is added to the subject.
func New(base string, o wire.Options) (*Reader, error) {
	u, err := wire.Address(strings.TrimRight(base, "/"))
	if err != nil {
		return nil, err
	}
	o.Subject += " (" + u.Host + ")"
	o.Host, o.JSON = u.Host, true
	client, err := wire.New(o)
	if err != nil {
		return nil, err
	}
	return &Reader{http: client, base: u, subject: o.Subject}, nil
}

// Subject names for people what is asked.
func (r *Reader) Subject() string { return r.subject }

// Address is the API's address with segments added, each escaped, and a query.
// No segment may be "..".
func (r *Reader) Address(query url.Values, segments ...string) string {
	escaped := make([]string, 0, len(segments))
	for _, s := range segments {
		escaped = append(escaped, url.PathEscape(s))
	}
	u := r.base.JoinPath(escaped...)
	u.RawQuery = query.Encode()
	return u.String()
}

// Get reads the answer of an address, which has to be at the API's own host.
func (r *Reader) Get(ctx context.Context, address string, into any) error {
	res, err := r.send(ctx, address)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNoContent {
		return ErrNoContent
	}
	if res.StatusCode != http.StatusOK {
		return r.Malformed()
	}
	return wire.Explain(r.subject, json.NewDecoder(res.Body).Decode(into))
}

// Exists reports whether there is something at an address.
func (r *Reader) Exists(ctx context.Context, address string) (bool, error) {
	res, err := r.send(ctx, address)
	if wire.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, res.Body.Close()
}

// send asks; a listing names its following pages itself, so their addresses
// come from outside.
func (r *Reader) send(ctx context.Context, address string) (*http.Response, error) {
	if !strings.HasPrefix(address, r.base.Scheme+"://") {
		return nil, gitops.Problemf(gitops.Refused, "cannot read %s: it goes on at an address of another kind, where credentials must not go", r.subject).Do("check the api address")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, wire.Explain(r.subject, err)
	}
	req.Header.Set("Accept", "application/json")
	res, err := r.http.Do(req)
	return res, wire.Explain(r.subject, err)
}

// Malformed is the Problem of an answer that lacks what the API promises.
func (r *Reader) Malformed() error { return wire.Explain(r.subject, errMalformed) }

var errMalformed = errors.New("the answer lacks what the API promises")

// Basic signs requests with a name and a password.
func Basic(user, password string) func(*http.Request) error {
	return func(req *http.Request) error {
		req.SetBasicAuth(user, password)
		return nil
	}
}

// Bearer signs requests with a token.
func Bearer(token string) func(*http.Request) error {
	return func(req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}
