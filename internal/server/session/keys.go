package session

import (
	"context"
	"errors"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Keys know the API keys that people made.
type Keys interface {
	// Find returns the key that a text proves; ErrUnknown for none, or none any more.
	Find(ctx context.Context, text string) (*key.Key, error)
	// Seen is told how somebody was known at a time, who may own keys.
	Seen(u *auth.User, at time.Time)
}

// ofKey names the owner of an API key, who has to be somebody still.
func (g *Gate) ofKey(ctx context.Context, text string) (*auth.User, error) {
	if g.Keys == nil {
		return nil, ErrUnknown
	}
	k, err := g.Keys.Find(ctx, text)
	if err != nil {
		return nil, err
	}
	u := k.User()
	if err := g.vouched(ctx, k, u); err != nil {
		return nil, err
	}
	return u, nil
}

// vouched tells why the owner of a key may no longer come in.
func (g *Gate) vouched(ctx context.Context, k *key.Key, u *auth.User) error {
	switch u.Via {
	case auth.Local:
		return g.Accounts.Valid(ctx, &token.Token{User: u, ID: k.ID, IssuedAt: k.Created, Expires: k.Expires})
	case auth.OIDC:
		err := g.stillIssuer(ctx, k.Owner.Issuer)
		if errors.Is(err, errNoIssuer) {
			return gitops.Problemf(gitops.Refused, "the API key %s does not count: its owner signed in with an issuer that is none here any more", k.Name)
		}
		return err
	case auth.Kubernetes:
		if g.Kubernetes != nil {
			return nil
		}
	case auth.Project: // makes no keys
	}
	return ErrUnknown
}

// seen tells of somebody who came in by themselves.
func (g *Gate) seen(u *auth.User, at time.Time) {
	if g.Keys != nil && !u.Program {
		g.Keys.Seen(u, at)
	}
}
