package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Accounts are the installation's own. That somebody may is settled before.
type Accounts interface {
	// All are in the order of their names.
	All(ctx context.Context) ([]Account, error)
	// SetPassword sets one in the name of somebody, and ends what the account's
	// sessions and keys were. It returns since when sessions begin that go on.
	SetPassword(ctx context.Context, u *auth.User, name, password string) (since time.Time, err error)
}

// Account is one, without what proves it.
type Account struct {
	Name            string    `json:"name"`
	Enabled         bool      `json:"enabled"`
	Capabilities    []string  `json:"capabilities" nullable:"false" doc:"login: to sign in with a password; apiKey: to have tokens of Argo CD."`
	Password        bool      `json:"password" doc:"Whether a password is set."`
	PasswordChanged time.Time `json:"passwordChanged,omitzero" doc:"Sessions and keys from before do not count."`
	Tokens          int       `json:"tokens" doc:"Tokens of Argo CD that it lists."`
	Own             bool      `json:"own,omitempty" doc:"Whether you are it."`
	May             []string  `json:"may" nullable:"false" doc:"update: set its password, and end its sessions."`
}

// NewPassword replaces a password.
type NewPassword struct {
	Current  string `json:"current,omitempty" maxLength:"1024" writeOnly:"true" doc:"Your own password, where you signed in with one."`
	Password string `json:"password" minLength:"1" maxLength:"1024" writeOnly:"true" doc:"The account's new one, as passwordPattern of argocd-cm says."`
}

// PasswordSet is the answer to who has set one.
type PasswordSet struct {
	Token string `json:"token,omitempty" doc:"Of your new session, where the password is your own: the one before has ended."`
}

const (
	resourceAccounts = "accounts"
	actionGet        = "get"
	actionUpdate     = "update"
)

// fresh is how long ago somebody has to have signed in with an issuer who sets
// the password of an account: they have none here to be asked for.
const fresh = 5 * time.Minute

type accountInput struct {
	Name string `path:"name" maxLength:"253"`
}

type passwordInput struct {
	raw

	Name string `path:"name" maxLength:"253"`
	Body NewPassword
}

func (s *server) accounts(a huma.API) {
	list := operation("list-accounts", http.MethodGet, "/accounts", resourceAccounts, "Accounts of the installation")
	list.Description = "Your own, and those that you may get."
	handle(a, list, s.listAccounts)
	set := operation("set-password", http.MethodPut, "/accounts/{name}/password", resourceAccounts, "Set the password of an account")
	set.Description = "Your own, or that of an account that you may update. All its sessions and API keys end. Who signed in with an account is asked for the own password; " +
		"who signed in with an issuer has to have done so in the last " + fresh.String() + "."
	set.BodyReadTimeout = 5 * time.Second
	set.Errors = append(set.Errors, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadGateway)
	handle(a, set, s.setPassword)
	end := operation("end-sessions", http.MethodDelete, "/accounts/{name}/sessions", resourceAccounts, "End all sessions of an account")
	end.Description = "That have begun until now. Its API keys stay."
	end.Errors = append(end.Errors, http.StatusConflict, http.StatusBadGateway)
	handle(a, end, s.endSessions)
}

// allAccounts are those that somebody may see.
func (s *server) allAccounts(ctx context.Context) ([]Account, error) {
	u := auth.From(ctx)
	if u == nil {
		return nil, httpError(gitops.Problemf(gitops.Refused, "nobody is signed in").Do("sign in to see accounts"))
	}
	if s.Accounts == nil {
		return nil, httpError(gitops.Problemf(gitops.NotFound, "this server has no accounts"))
	}
	all, err := s.Accounts.All(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	out := []Account{}
	for i := range all {
		one := &all[i]
		one.Own = u.Via == auth.Local && u.Name == one.Name && !u.Program
		one.May = []string{}
		if one.Own || s.reach.Permits(ctx, reach.Access{Resource: resourceAccounts, Action: actionUpdate, Name: one.Name}) {
			one.May = append(one.May, actionUpdate)
		}
		if one.Own || s.reach.Permits(ctx, reach.Access{Resource: resourceAccounts, Action: actionGet, Name: one.Name}) {
			out = append(out, *one)
		}
	}
	return out, nil
}

func (s *server) listAccounts(ctx context.Context, _ *struct{}) (*answer[[]Account], error) {
	all, err := s.allAccounts(ctx)
	return &answer[[]Account]{all}, err
}

// account is one that somebody may update. One that they may not see is not there.
func (s *server) account(ctx context.Context, name string) (*Account, error) {
	all, err := s.allAccounts(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name != name {
			continue
		}
		if !all[i].Own {
			err = s.reach.Demand(ctx, reach.Access{Resource: resourceAccounts, Action: actionUpdate, Name: name})
		}
		return &all[i], httpError(err)
	}
	return nil, httpError(gitops.Problemf(gitops.NotFound, "account %s does not exist, or you may not see it", name).Do("list them at " + Prefix + "/accounts"))
}

func (s *server) setPassword(ctx context.Context, in *passwordInput) (*answer[PasswordSet], error) {
	of, err := s.account(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	u := auth.From(ctx)
	if err := s.vouch(ctx, u, origin.Sender(in.request), in.Body.Current); err != nil {
		e := &audit.Entry{Verb: "set password", Resource: resourceAccounts, Name: of.Name}
		s.Trail.Failed(ctx, u, e, err)
		return nil, httpError(err)
	}
	since, err := s.Accounts.SetPassword(ctx, u, of.Name, in.Body.Password)
	if err != nil {
		return nil, httpError(err)
	}
	if !of.Own {
		return &answer[PasswordSet]{}, nil
	}
	text, err := s.Door.Renew(u, since)
	if err != nil {
		return nil, httpError(err)
	}
	if u.ByCookie {
		if err := s.Door.Keep(in.writer, in.request, text); err != nil {
			return nil, httpError(gitops.Problemf(gitops.Invalid, "%w", err))
		}
	}
	return &answer[PasswordSet]{PasswordSet{text}}, nil
}

// vouch tells why it is not believed that somebody is at their browser who sets
// a password: who found it open knows none.
func (s *server) vouch(ctx context.Context, u *auth.User, from, current string) error {
	switch {
	case u.Program:
		return gitops.Problemf(gitops.Forbidden, "an API key cannot be used to set passwords").Do("sign in as a person")
	case u.Via == auth.Local:
		return s.Door.Vouch(ctx, from, u.Name, current)
	case u.Via == auth.OIDC && time.Since(u.Began) > fresh:
		return gitops.Problemf(gitops.Forbidden, "you signed in more than %s ago", fresh).Do("sign in again, and set the password then")
	}
	return nil // by a token of Kubernetes, which says what they may write
}

func (s *server) endSessions(ctx context.Context, in *accountInput) (*struct{}, error) {
	of, err := s.account(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	u, e := auth.From(ctx), &audit.Entry{Verb: "end sessions", Resource: resourceAccounts, Name: of.Name}
	if err := s.Trail.Begin(ctx, u, e); err != nil {
		return nil, httpError(err)
	}
	err = s.Door.EndAll(ctx, &auth.User{Name: of.Name, Via: auth.Local})
	s.Trail.Failed(ctx, u, e, err)
	return nil, httpError(err)
}
