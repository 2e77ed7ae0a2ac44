package session

import (
	"context"
	"net/http"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Ends reports whether signing out, here or everywhere, would end anything of
// who sent a request.
func (d *Door) Ends(r *http.Request, everywhere bool) bool {
	u := auth.From(r.Context())
	if everywhere {
		return u != nil && hasSessions(u)
	}
	text, ok := bearer(r)
	if !ok {
		return u != nil
	}
	t, err := d.gate.Signer.Read(text)
	return err == nil && !t.APIKey
}

// EndAll ends all sessions of somebody who asks for it.
func (d *Door) EndAll(ctx context.Context, u *auth.User) error {
	switch {
	case !hasSessions(u):
		return ErrNoSession
	case d.gate.Endings == nil:
		return errNoEndings
	}
	return d.gate.Endings.EndAll(ctx, u)
}

var (
	// ErrNoSession is the answer to who would end what is no session.
	ErrNoSession = gitops.Problemf(gitops.Forbidden, "there are no sessions of yours here to end").
			Do("a token of Kubernetes, of a project's role or of an account's API key ends where it was made")
	errNoEndings = gitops.Problemf(gitops.NotFound, "this server does not keep which sessions have ended")
)
