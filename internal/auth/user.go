package auth

import (
	"context"
	"strings"
	"time"
)

// Via is the way in which somebody signed in.
type Via string

// The ways.
const (
	// Local accounts are the installation's own.
	Local Via = "local"
	// OIDC: an issuer said who it is.
	OIDC Via = "oidc"
	// Kubernetes: the API server knows the token.
	Kubernetes Via = "kubernetes"
	// Project tokens belong to a role of a project.
	Project Via = "project"
)

// User is somebody who asks.
type User struct {
	// Name as policies and the audit have it: an account, an e-mail address,
	// system:serviceaccount:…, or proj:PROJECT:ROLE.
	Name   string   `json:"name"`
	Groups []string `json:"groups,omitempty"`
	Email  string   `json:"email,omitempty"`
	Via    Via      `json:"via"`
	// Claims are those of the token, for policies that name others than groups.
	Claims map[string]any `json:"-"`
	// Issuer vouched for them, who knows them as Sub, for OIDC alone: the claims
	// have whom policies mean, which Dex has one name for in several connectors.
	// Both are empty in sessions and keys from before they were kept.
	Issuer string `json:"-"`
	Sub    string `json:"-"`
	// Extra is what Kubernetes says of a token besides, such as scopes that
	// limit it. Whoever asks Kubernetes or writes for the user hands it on.
	Extra map[string][]string `json:"-"`
	// Session identifies what they signed in with; empty for tokens that are
	// not the product's own.
	Session string `json:"-"`
	// Began is when that session began; zero without one.
	Began time.Time `json:"-"`
	// Known is when they were known like that, with these groups; zero for now.
	Known time.Time `json:"-"`
	// Key names the API key that they sent; empty for none. Limit is then what
	// it is for.
	Key   string `json:"key,omitempty"`
	Limit Limit  `json:"-"`
	// Program tells that they sent a token which was made for a program.
	Program bool `json:"-"`
	// ByCookie tells that a browser sent it by itself, which is no proof that
	// the person wanted the request.
	ByCookie bool `json:"-"`
}

// Person is who something belongs to, such as sessions, keys and operations: names
// alone are not unique, as an issuer may let people choose theirs. All who have not
// signed in are one, whose name is empty.
func (u *User) Person() string {
	if u == nil {
		return ""
	}
	name := u.Name
	if sub := u.Subject(); sub != "" {
		name = sub
	}
	if u.Via == OIDC && u.Issuer != "" {
		name = u.Issuer + "\x00" + name
	}
	return string(u.Via) + "\x00" + name
}

// Subject is whom an issuer says they are; empty for who signed in otherwise.
func (u *User) Subject() string {
	if u.Via != OIDC {
		return ""
	}
	if u.Sub != "" {
		return u.Sub
	}
	sub, _ := u.Claims["sub"].(string)
	return sub
}

// serviceAccount begins the names that Kubernetes has for service accounts.
const serviceAccount = "system:serviceaccount:"

// ServiceAccount reports whether Kubernetes knows somebody as a service account: a program, which nobody signed in.
func (u *User) ServiceAccount() bool {
	return u != nil && u.Via == Kubernetes && strings.HasPrefix(u.Name, serviceAccount)
}

// Limit narrows what somebody may do, in the words of policies. It gives nothing.
type Limit interface {
	// Allows reports whether something is inside. The project is empty for what is in none.
	Allows(resource, action, project string) bool
}

type contextKey struct{}

// With returns a context that knows the user.
func With(ctx context.Context, u *User) context.Context {
	return context.WithValue(ctx, contextKey{}, u)
}

// From returns the user of a context; nil where nobody signed in.
func From(ctx context.Context) *User {
	u, _ := ctx.Value(contextKey{}).(*User)
	return u
}

// Outside returns the context of a request that came from outside, whose sender is
// not known: With says so later of who is.
func Outside(ctx context.Context) context.Context { return With(ctx, nil) }

// Stranger is the Asker of what is asked from outside by somebody who has not signed
// in: all of them are one. No Person is called so.
const Stranger = "stranger"

// Asker is who something is done for, among whom what is scarce is shared: a Person,
// or the Stranger. It is empty where nobody asked from outside: the engine, or a
// command, does it for itself.
func Asker(ctx context.Context) string {
	u, outside := ctx.Value(contextKey{}).(*User)
	switch {
	case !outside:
		return ""
	case u == nil:
		return Stranger
	}
	return u.Person()
}
