// Package token signs and reads the tokens of sessions: JSON Web Tokens with a
// key of the installation, in the form that Argo CD gives out, so that tokens
// which its users have go on to work. It keeps nothing, and does not know which
// ones were ended before their time.
package token

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/causeway-gitops/causeway/internal/auth"
)

// Issuers of the tokens.
const (
	// issuer is the one that Argo CD writes.
	issuer = "argocd"
	// foreign is that of sessions of people whom another issuer knows. Their
	// subject is not the installation's to choose: Argo CD, which may have the
	// same key, is not to take it for an account.
	foreign = "causeway"
)

// Bounds.
const (
	// maxToken bounds what is read at all; browsers keep less.
	maxToken = 20 << 10
	// leeway is how far the clocks of two machines may differ.
	leeway = 30 * time.Second
	// minKey is what HMAC with SHA-256 needs to be worth its name.
	minKey = 32
)

// Kinds of accounts' tokens, as the subject has them.
const (
	suffixLogin  = ":login"
	suffixAPIKey = ":apiKey"
	projectStart = "proj:"
)

// ErrInvalid is all that is told of a token that is not taken.
var ErrInvalid = errors.New("the token is not valid; sign in again")

// Signer signs and reads tokens.
type Signer struct {
	key atomic.Pointer[[]byte]
	now func() time.Time
}

// New makes a signer. The key has at least 32 bytes.
func New(key []byte, now func() time.Time) (*Signer, error) {
	s := &Signer{now: now}
	return s, s.Rekey(key)
}

// Rekey signs with another key from now on; what an earlier one signed is not
// read any more. One that is too short changes nothing.
func (s *Signer) Rekey(key []byte) error {
	if len(key) < minKey {
		return fmt.Errorf("cannot sign sessions with a key of %d bytes: it needs %d", len(key), minKey)
	}
	key = slices.Clone(key)
	s.key.Store(&key)
	return nil
}

// Now is the time that tokens go by.
func (s *Signer) Now() time.Time { return s.now() }

type claims struct {
	jwt.RegisteredClaims

	Groups []string `json:"groups,omitempty"`
	Email  string   `json:"email,omitempty"`
	Via    auth.Via `json:"via,omitempty"`
	// Name and Said are of people whom another issuer knows: what they are
	// called, and those of their claims that policies go by.
	Name string         `json:"name,omitempty"`
	Said map[string]any `json:"said,omitempty"`
	// By is that issuer, who knows them As; the subject is whom policies mean.
	By string `json:"by,omitempty"`
	As string `json:"as,omitempty"`
}

// Sign makes a token for a user who has proved who they are, which begins at a
// time, in whole seconds.
func (s *Signer) Sign(u *auth.User, began time.Time, life time.Duration) (string, error) {
	c := claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Subject: u.Name, ID: rand.Text(),
			IssuedAt: jwt.NewNumericDate(began), NotBefore: jwt.NewNumericDate(began), ExpiresAt: jwt.NewNumericDate(began.Add(life)),
		},
		Groups: u.Groups, Email: u.Email, Via: u.Via,
	}
	switch u.Via {
	case auth.Local:
		c.Subject += suffixLogin
	case auth.OIDC:
		c.Issuer, c.Name, c.Groups, c.Said = foreign, u.Name, nil, maps.Clone(u.Claims)
		c.Subject, _ = u.Claims["sub"].(string)
		c.By, c.As = u.Issuer, u.Sub
		delete(c.Said, "sub")
	case auth.Kubernetes, auth.Project: // they bring tokens of their own
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(*s.key.Load())
}

// Token is a token that was read: the signature is right and it has not ended.
type Token struct {
	User *auth.User
	// ID and IssuedAt say which one it is.
	ID       string
	IssuedAt time.Time
	Expires  time.Time // zero when it does not end
	// APIKey tells that it is no session: its account lists it, or it is void.
	APIKey bool
	// Project and Role are set for a token of a project's role, which lists it.
	Project, Role string
}

// Read checks a token.
func (s *Signer) Read(text string) (*Token, error) {
	if len(text) > maxToken {
		return nil, ErrInvalid
	}
	var c claims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithLeeway(leeway), jwt.WithTimeFunc(s.now))
	if _, err := parser.ParseWithClaims(text, &c, func(*jwt.Token) (any, error) { return *s.key.Load(), nil }); err != nil {
		return nil, ErrInvalid
	}
	known := c.Issuer == issuer && c.Via != auth.OIDC || c.Issuer == foreign && c.Via == auth.OIDC
	if !known || c.Subject == "" {
		return nil, ErrInvalid
	}
	return c.token(), nil
}

func (c *claims) token() *Token {
	t := &Token{ID: c.ID, User: &auth.User{Name: c.Subject, Groups: c.Groups, Email: c.Email, Via: c.Via, Session: c.ID}}
	if c.IssuedAt != nil {
		t.IssuedAt, t.User.Began = c.IssuedAt.Time, c.IssuedAt.Time
	}
	if c.ExpiresAt != nil {
		t.Expires = c.ExpiresAt.Time
	}
	switch {
	case c.Via == auth.OIDC:
		t.User.Name, t.User.Groups, t.User.Claims = c.Name, texts(c.Said), maps.Clone(c.Said)
		if t.User.Claims == nil {
			t.User.Claims = map[string]any{}
		}
		t.User.Claims["sub"] = c.Subject
		t.User.Issuer, t.User.Sub = c.By, c.As
		return t
	case strings.HasPrefix(c.Subject, projectStart):
		t.User.Via, t.APIKey, t.User.Program = auth.Project, true, true
		t.Project, t.Role, _ = strings.Cut(strings.TrimPrefix(c.Subject, projectStart), ":")
	case strings.HasSuffix(c.Subject, suffixLogin):
		t.User.Name, t.User.Via = strings.TrimSuffix(c.Subject, suffixLogin), auth.Local
	default: // what does not say that it is a session is a key, which is to be listed
		t.User.Name, t.User.Via, t.APIKey, t.User.Program = strings.TrimSuffix(c.Subject, suffixAPIKey), auth.Local, true, true
	}
	t.User.Claims = map[string]any{"sub": t.User.Name, "groups": anyOf(c.Groups), "email": c.Email, "iss": c.Issuer}
	return t
}

// texts are all of some claims.
func texts(claims map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		switch v := claims[name].(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, one := range v {
				if text, is := one.(string); is {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

func anyOf(all []string) []any {
	out := make([]any, len(all))
	for i := range all {
		out[i] = all[i]
	}
	return out
}
