package gcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/secretmanager/v1"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Provider reads Secret Manager.
type Provider struct {
	config  Config
	service *secretmanager.Service
	who     *identity
	known   provider.Known
}

var _ provider.Reader = (*Provider)(nil)

// errOfOthers is an answer of somebody else, such as a proxy. It has no entries, and that
// does not mean that there are none.
var errOfOthers = &unsaid{errors.New("the answer is not one of Google, or not a whole one")}

// ask asks, and once more with a new token where the one that there was has ended. What it
// gives without an error is not nil.
func ask[Out any](ctx context.Context, p *Provider, what string, question func(context.Context) (*Out, error)) (out *Out, err error) {
	token, err := p.who.token(ctx)
	if err != nil {
		return out, err
	}
	out, err = question(context.WithValue(ctx, shown{}, token.AccessToken))
	if said := ofService(err); said != nil && said.code == http.StatusUnauthorized && p.who.forget(token) {
		if token, err = p.who.token(ctx); err != nil {
			return out, err
		}
		out, err = question(context.WithValue(ctx, shown{}, token.AccessToken))
	}
	if err == nil && out == nil { // the client takes "null" for an answer
		err = errOfOthers
	}
	if err != nil {
		err = explain(ctx, &p.known, what, err)
	}
	return out, err
}

// ofService is what Secret Manager said; nil of an error that is not its.
func ofService(err error) *answer {
	var answered *googleapi.Error
	if !errors.As(err, &answered) {
		return nil
	}
	return read(answered.Code, []byte(answered.Body))
}

// explain says what could not be done, and why, in words without values: what a client
// says of an answer that it cannot read quotes it.
func explain(ctx context.Context, known *provider.Known, what string, err error) error {
	said := ofService(err)
	if said == nil {
		errors.As(err, &said)
	}
	told := &told{text: known.Masked(fmt.Sprintf("cannot %s: %s", what, plain(ctx, known, said, err))), err: err, said: said}
	if said.refuses() {
		return &provider.Refused{Err: told}
	}
	return told
}

// refuses reports whether other credentials or more rights would end an error.
func (a *answer) refuses() bool {
	if a == nil {
		return false
	}
	switch a.status {
	case "invalid_grant", "unauthorized_client", "invalid_client", "invalid_target": // of OAuth, with the status 400
		return true
	default:
		return a.code == http.StatusUnauthorized || a.code == http.StatusForbidden
	}
}

// told is an error with other words.
type told struct {
	text string
	err  error
	said *answer
}

// Error implements error.
func (t *told) Error() string { return t.text }

// Unwrap is what it is about.
func (t *told) Unwrap() error { return t.err }

// unsaid is an error that is not Google's, and can be told as it is.
type unsaid struct{ err error }

// Error implements error.
func (u *unsaid) Error() string { return u.err.Error() }

// Unwrap is what is told.
func (u *unsaid) Unwrap() error { return u.err }

func plain(ctx context.Context, known *provider.Known, said *answer, err error) string {
	var (
		own   *unsaid
		where *url.Error
		op    *net.OpError
	)
	switch {
	case errors.As(err, &own):
		return own.Error()
	case said != nil && said.status != "":
		return known.Short(said.status + ": " + said.message)
	case said != nil:
		return fmt.Sprintf("the server answers %d %s", said.code, http.StatusText(said.code))
	case ctx.Err() != nil:
		return "Google does not answer within the time that there is"
	case provider.TooMuch(err):
		return "the answer is longer than is read"
	case errors.As(err, &op):
		return known.Short(op.Error())
	case errors.As(err, &where):
		return known.Short(where.Err.Error())
	default:
		return errOfOthers.Error()
	}
}

// absent is an error of what is not there. A latest version that is destroyed or disabled says
// nothing of the secret, which may have others that are enabled.
func absent(err error) error {
	var told *told
	if !errors.As(err, &told) || told.said == nil {
		return err
	}
	if told.said.code == http.StatusNotFound && told.said.status == "NOT_FOUND" {
		return fmt.Errorf("%w: %w", entry.ErrNotFound, err)
	}
	return err
}

// unready is of a version that is disabled or destroyed.
func (a *answer) unready() bool { return a.status == "FAILED_PRECONDITION" }
