package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Keyring keeps the API keys that people make.
type Keyring interface {
	// Keys are all of them.
	Keys(ctx context.Context) ([]KeptKey, error)
	// Create makes one for somebody, and returns the text that proves it.
	Create(ctx context.Context, u *auth.User, want *NewKey) (*APIKey, string, error)
	// Revoke ends one, in the name of somebody who may.
	Revoke(ctx context.Context, u *auth.User, k *KeptKey) error
}

// NewKey is one that is asked for.
type NewKey struct {
	Name  string    `json:"name" minLength:"1" maxLength:"63" doc:"What it is for; no other key of yours has it."`
	Scope key.Scope `json:"scope" doc:"What it may be used for. It never gives more than its owner may at that time."`
	Days  int       `json:"days,omitempty" minimum:"1" maximum:"365" default:"90" doc:"How long it counts."`
}

// APIKey is one, without what proves it.
type APIKey struct { //nolint:revive // Key is the name of another type in the document
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Owner    string    `json:"owner"`
	Via      auth.Via  `json:"via" doc:"How the owner signed in."`
	Scope    key.Scope `json:"scope"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
	Expired  bool      `json:"expired,omitempty"`
	LastUsed time.Time `json:"lastUsed,omitzero" doc:"To about an hour; absent when it was not used."`
	Own      bool      `json:"own" doc:"Whether it is yours."`
}

// KeptKey is a key with all that is known of its owner.
type KeptKey struct {
	APIKey

	Of key.Owner
}

// MadeKey is a key that was just made.
type MadeKey struct {
	APIKey

	Token string `json:"token" doc:"What a program sends as Authorization: Bearer. It is shown this once."`
}

type keysInput struct {
	All bool `query:"all" doc:"Those of others, too, whose account you may update."`
}

type keyInput struct {
	ID string `path:"id" maxLength:"64"`
}

func (s *server) keys(a huma.API) {
	list := operation("list-keys", http.MethodGet, "/keys", "keys", "The API keys that you made")
	handle(a, list, s.listKeys)
	create := operation("create-key", http.MethodPost, "/keys", "keys", "Make an API key")
	create.Description = "Its text is in the answer, and nowhere else. It works as a bearer token here and at /argocd/api/v1. " +
		"Programs make none: a key comes from a person who signed in."
	create.DefaultStatus = http.StatusCreated
	create.Errors = append(create.Errors, http.StatusConflict, http.StatusUnprocessableEntity)
	handle(a, create, s.createKey)
	revoke := operation("revoke-key", http.MethodDelete, "/keys/{id}", "keys", "End an API key")
	revoke.Description = "At once: the next request that it is sent with is refused."
	handle(a, revoke, s.revokeKey)
}

// keyholder is who may have keys: a person, not a program that was given one.
func (s *server) keyholder(ctx context.Context) (*auth.User, error) {
	u := auth.From(ctx)
	switch {
	case u == nil:
		return nil, httpError(gitops.Problemf(gitops.Refused, "nobody is signed in").Do("sign in to see or make keys"))
	case u.Program:
		return nil, httpError(gitops.Problemf(gitops.Forbidden, "an API key cannot be used to see, make or end keys").Do("sign in as a person"))
	case s.Keys == nil:
		return nil, httpError(gitops.Problemf(gitops.NotFound, "this server keeps no API keys"))
	}
	return u, nil
}

func (s *server) createKey(ctx context.Context, in *struct{ Body NewKey }) (*answer[MadeKey], error) {
	u, err := s.keyholder(ctx)
	if err != nil {
		return nil, err
	}
	if u.ServiceAccount() {
		return nil, httpError(gitops.Problemf(gitops.Forbidden, "a service account has tokens of its own, and no keys here").Do("use one that kubectl create token makes"))
	}
	if err := key.CheckName(in.Body.Name); err != nil {
		return nil, httpError(gitops.Problemf(gitops.Invalid, "%w", err))
	}
	if err := in.Body.Scope.Check(); err != nil {
		return nil, httpError(gitops.Problemf(gitops.Invalid, "%w", err))
	}
	made, text, err := s.Keys.Create(ctx, u, &in.Body)
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[MadeKey]{MadeKey{*made, text}}, nil
}

// administers reports whether somebody may end the keys of another.
func (s *server) administers(ctx context.Context, u *auth.User, k *KeptKey) bool {
	return k.Of.Is(u) || s.reach.Permits(ctx, reach.Access{Resource: "accounts", Action: "update", Name: k.Owner})
}

func (s *server) listKeys(ctx context.Context, in *keysInput) (*answer[[]APIKey], error) {
	u, err := s.keyholder(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Keys.Keys(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	out := []APIKey{}
	for i := range all {
		k := &all[i]
		k.Own = k.Of.Is(u)
		if k.Own || in.All && s.administers(ctx, u, k) {
			out = append(out, k.APIKey)
		}
	}
	return &answer[[]APIKey]{out}, nil
}

func (s *server) revokeKey(ctx context.Context, in *keyInput) (*struct{}, error) {
	u, err := s.keyholder(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.Keys.Keys(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	for i := range all {
		if all[i].ID == in.ID && s.administers(ctx, u, &all[i]) {
			return nil, httpError(s.Keys.Revoke(ctx, u, &all[i]))
		}
	}
	return nil, httpError(gitops.Problemf(gitops.NotFound, "there is no API key %s", in.ID).Do("list them at " + Prefix + "/keys"))
}
