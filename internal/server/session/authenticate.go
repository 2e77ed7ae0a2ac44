package session

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Accounts are the installation's own.
type Accounts interface {
	// Verify proves a password. The error is the same for a wrong name. Began is
	// when a session begins of who knows it: when that was read, so that a password
	// set since then ends it. Zero is now.
	Verify(ctx context.Context, name, password string) (*auth.User, error)
	// Known reports whether an account has a name.
	Known(name string) bool
	// Valid tells why a token of ours is no longer good: its account is gone
	// or switched off, or no longer lists it.
	Valid(ctx context.Context, t *token.Token) error
}

// Reviewer asks the API server whose token it is.
type Reviewer interface {
	Review(ctx context.Context, token string) (*auth.User, error)
}

// Issuers know who lets people sign in besides the installation.
type Issuers interface {
	// Current is the issuer; nil for none.
	Current(ctx context.Context) (*oidc.Issuer, error)
	// User is who claims are about.
	User(claims oidc.Claims) *auth.User
}

// ErrUnknown is the answer to what is no token of anybody.
var ErrUnknown = errors.New("nobody is known by this token; sign in again")

// Gate finds out who sends a request.
type Gate struct {
	Signer   *token.Signer
	Accounts Accounts
	// Kubernetes is nil where its tokens are not taken.
	Kubernetes Reviewer
	// Issuers is nil where none are asked.
	Issuers Issuers
	// Keys is nil where none are taken.
	Keys Keys
	// Endings is nil where sessions end by themselves alone.
	Endings Endings
	// Life is how long sessions last now; nil for the constant.
	Life func() time.Duration
	// Known remembers from which networks people came in; nil for none.
	Known *origin.Known
}

// Identify names the sender: nil for nobody, which is no error. A token that
// is not taken is one.
func (g *Gate) Identify(r *http.Request) (*auth.User, error) {
	if text, ok := bearer(r); ok {
		return g.ofToken(origin.With(r.Context(), r.RemoteAddr), text)
	}
	text := readCookie(r)
	if text == "" {
		return nil, nil //nolint:nilnil // nobody is no error
	}
	u, err := g.ofSession(r.Context(), text)
	if away(err) {
		return nil, err // the session may be good
	}
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // a cookie that has ended is as good as none: the page asks to sign in
	}
	u.ByCookie = true
	return u, nil
}

// Unsure tells of an error of Identify that says nothing about who somebody is.
func Unsure(err error) bool { return away(err) || errors.Is(err, ErrBusy) }

// away reports whether nobody could say whose a token is.
func away(err error) bool {
	return gitops.IsProblem(err, gitops.Unreachable)
}

func bearer(r *http.Request) (string, bool) {
	kind, text, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(text), ok && strings.EqualFold(kind, "Bearer")
}

func (g *Gate) ofToken(ctx context.Context, text string) (*auth.User, error) {
	if key.Is(text) {
		return g.ofKey(ctx, text)
	}
	u, err := g.ofSession(ctx, text)
	if err == nil || away(err) {
		return u, err
	}
	u, problem := g.ofIssuer(ctx, text)
	if u != nil && problem != nil {
		return nil, problem // whoever else knows the token
	}
	if u != nil {
		return u, nil
	}
	if g.Kubernetes != nil {
		if u, err = g.Kubernetes.Review(ctx, text); err == nil {
			g.seen(u, time.Now())
		}
	}
	// The issuer knows better what is wrong with a token of its own.
	if err != nil && problem != nil {
		return nil, problem
	}
	return u, err
}

// ofIssuer takes an ID token: neither a user nor an error for what is none of
// the issuer's. Both are for one that it gave out, and that somebody has ended,
// or of which nobody knows yet whether they have.
func (g *Gate) ofIssuer(ctx context.Context, text string) (*auth.User, error) {
	if g.Issuers == nil {
		return nil, nil //nolint:nilnil // nobody is no error
	}
	issuer, err := g.Issuers.Current(ctx)
	if err != nil || issuer == nil || !issuer.IsFor(text) {
		return nil, nil //nolint:nilnil,nilerr // what is wrong with the settings is told where people sign in
	}
	claims, err := issuer.Bearer(ctx, text)
	if err != nil {
		return nil, shown(err)
	}
	u := g.Issuers.User(claims)
	u.Known = issued(claims)
	err = g.stillGood(u, claims)
	if err == nil {
		g.seen(u, u.Known)
	}
	return u, err
}

func (g *Gate) ofSession(ctx context.Context, text string) (*auth.User, error) {
	t, err := g.Signer.Read(text)
	if err != nil {
		return nil, err
	}
	if err := g.goesOn(t); err != nil {
		return nil, err
	}
	if err := g.counts(ctx, t); err != nil {
		return nil, err
	}
	t.User.Known = t.IssuedAt
	g.seen(t.User, t.User.Known)
	return t.User, nil
}

// counts tells why whoever a session is of is nobody here any more.
func (g *Gate) counts(ctx context.Context, t *token.Token) error {
	switch t.User.Via {
	case auth.Local, auth.Project:
		return g.Accounts.Valid(ctx, t)
	case auth.OIDC:
		if t.User.Issuer == "" {
			return nil // from before that was kept: it ends by itself
		}
		if err := g.stillIssuer(ctx, t.User.Issuer); errors.Is(err, errNoIssuer) {
			return err
		}
		return nil // what is wrong with the settings ends no session
	case auth.Kubernetes: // brings tokens of its own
	}
	return nil
}

// errNoIssuer is why somebody does not come in whom an issuer vouched for.
var errNoIssuer = gitops.Problemf(gitops.Refused, "whoever signed in with that issuer is not taken: it is none here any more").
	Do("sign in again")

// stillIssuer tells why somebody does not count whom an issuer vouched for. Settings that
// cannot be read, or are wrong, say nothing about it.
func (g *Gate) stillIssuer(ctx context.Context, name string) error {
	if g.Issuers == nil {
		return errNoIssuer
	}
	issuer, err := g.Issuers.Current(ctx)
	switch {
	case err != nil: // what is wrong with the settings is told where people sign in
		return gitops.Problemf(gitops.Unreachable, "cannot tell whether that issuer is still one here").Do("try again")
	case issuer == nil || !issuer.Is(name):
		return errNoIssuer
	}
	return nil
}

// ErrForged is the answer to a page of another site that writes by the session
// of who looks at it.
var ErrForged = gitops.Problemf(gitops.Forbidden, "a page of another site may not write with the session that your browser has here")

// Meant tells why a request that writes by a method which reads may be none that
// its sender wants: browsers go with their cookies to wherever a page, or a letter,
// leads. A page of ours says that it asks, and tokens are sent by no browser.
func Meant(r *http.Request) error {
	if u := auth.From(r.Context()); u != nil && u.ByCookie && r.Header.Get(fetchSite) != sameOrigin {
		return ErrForged
	}
	return nil
}

// What browsers say of the page that asks.
const (
	fetchSite  = "Sec-Fetch-Site"
	sameOrigin = "same-origin"
)

// Wrap puts the sender into the context of requests. Those of nobody pass:
// what is behind says what anonymous may see.
func (g *Gate) Wrap(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	// Browsers send cookies along with what other pages ask for.
	forged := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := g.Identify(r)
		if err != nil {
			refuse(w, r, err)
			return
		}
		if u == nil {
			next.ServeHTTP(w, r)
			return
		}
		g.Known.Add(r.RemoteAddr)
		if u.ByCookie {
			if forged.Check(r) != nil {
				refuse(w, r, ErrForged)
				return
			}
		}
		next.ServeHTTP(w, r.WithContext(auth.With(r.Context(), u)))
	})
}
