package session

import (
	"context"
	"errors"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/token"
)

// Bounds of how long a session lasts. It does not grow by use: rights of groups
// are as of its beginning.
const (
	// Life is what it lasts where nobody says.
	Life = 24 * time.Hour
	// MaxLife is the most. What ended earlier need not be remembered longer.
	MaxLife = 365 * 24 * time.Hour
)

// Endings know which sessions were ended before their time, here or at another
// replica.
type Endings interface {
	// Check tells why a session does not count. A problem of the kind Unreachable
	// says that nobody knows yet.
	Check(t *token.Token) error
	// End ends a session.
	End(ctx context.Context, t *token.Token) error
	// EndAll ends those that somebody has begun until now.
	EndAll(ctx context.Context, u *auth.User) error
	// Since is when a session of somebody begins at the earliest, so that it is
	// none of those that EndAll ended.
	Since(u *auth.User) time.Time
}

// ErrEnded is the answer to a session that somebody ended.
var ErrEnded = errors.New("the session has ended; sign in again")

// life is how long sessions last now.
func (g *Gate) life() time.Duration {
	if g.Life == nil {
		return Life
	}
	return g.Life()
}

// begin begins a session of somebody who has proved who they are, as of what was
// known at a time; zero for now.
func (g *Gate) begin(u *auth.User, at time.Time) (string, error) {
	if at.IsZero() {
		at = g.Signer.Now()
	}
	if g.Endings != nil {
		if since := g.Endings.Since(u); since.After(at) {
			at = since
		}
	}
	return g.Signer.Sign(u, at, g.life())
}

// goesOn tells why a session has ended before its token says so.
func (g *Gate) goesOn(t *token.Token) error {
	if t.APIKey {
		return nil // its account, or its project, lists it
	}
	if !t.IssuedAt.IsZero() && g.Signer.Now().Sub(t.IssuedAt) > g.life() {
		return ErrEnded // sessions last shorter now than when it began
	}
	if g.Endings == nil {
		return nil
	}
	return g.Endings.Check(t)
}

// stillGood tells why an ID token of the issuer does not count: whom it is
// about has ended all that they began until then.
func (g *Gate) stillGood(u *auth.User, claims oidc.Claims) error {
	if g.Endings == nil {
		return nil
	}
	return g.Endings.Check(&token.Token{User: u, IssuedAt: issued(claims)})
}

// issued is when the issuer made a token.
func issued(claims oidc.Claims) time.Time {
	seconds, _ := claims["iat"].(float64)
	return time.Unix(int64(seconds), 0)
}

// hasSessions reports whether somebody comes with what sessions are begun with.
func hasSessions(u *auth.User) bool { return !u.Program && (u.Via == auth.Local || u.Via == auth.OIDC) }
