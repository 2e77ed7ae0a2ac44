package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// SignIns are the ways to sign in.
type SignIns struct {
	Password bool `json:"password" doc:"Whether accounts of the installation can sign in."`
	// OIDC is the name of the issuer on the button; empty for none.
	OIDC string `json:"oidc,omitempty" doc:"Name of the issuer that people can sign in with, at /auth/login."`
	// Notice says why people cannot sign in as the settings say.
	Notice string `json:"notice,omitempty" doc:"What is wrong with a way to sign in that the settings name."`
}

// Session is who the sender is.
type Session struct {
	User    *auth.User `json:"user,omitempty" doc:"Absent when nobody is signed in."`
	Open    bool       `json:"open,omitempty" doc:"Nobody is signed in, and something may be read all the same, by users.anonymous.enabled and policy.default."`
	SignIns SignIns    `json:"signIns"`
	Version string     `json:"version"`
	// Namespace is for who may know anything: commands name Applications of others by it.
	Namespace string `json:"namespace,omitempty" doc:"The control namespace: the command line takes names of Applications in it alone, others as NAMESPACE/NAME."`
}

// Credentials prove an account.
type Credentials struct {
	Username string `json:"username" minLength:"1" maxLength:"253"`
	Password string `json:"password" minLength:"1" maxLength:"1024" writeOnly:"true"`
}

// Token is what a program sends as Authorization: Bearer.
type Token struct {
	Token string `json:"token"`
}

func (s *server) sessions(a huma.API) {
	handle(a, public(operation("get-session", http.MethodGet, "/session", "session", "Who you are")), func(ctx context.Context, _ *struct{}) (*answer[Session], error) {
		is := Session{User: auth.From(ctx), Version: s.Version}
		if s.SignIns != nil {
			is.SignIns = s.SignIns(ctx)
		}
		if s.reach.Known(ctx) == nil {
			is.Namespace, is.Open = s.Namespace, is.User == nil && s.reads(ctx)
		}
		return &answer[Session]{is}, nil
	})
	signIn := public(operation("sign-in", http.MethodPost, "/session", "session", "Sign in with an account of the installation"))
	signIn.Description = "The session is a cookie; a program takes the token of the answer instead. It lasts as long as users.session.duration of argocd-cm says, " + session.Life.String() + " without it."
	handle(a, signIn, s.signIn)
	signOut := public(operation("sign-out", http.MethodDelete, "/session", "session", "Sign out"))
	signOut.Description = "Without content; with it, the page goes on to the issuer, to sign out there. A token that is no session (an API key, an ID token, one of Kubernetes) goes on to count, and is answered with 403."
	signOut.Errors = append(signOut.Errors, http.StatusConflict, http.StatusBadGateway)
	signOut.Responses = map[string]*huma.Response{"204": {Description: "Signed out; there is nowhere to go on to"}}
	handle(a, signOut, s.signOut)
}

// raw takes the request and its writer, for cookies.
type raw struct {
	request *http.Request
	writer  http.ResponseWriter
}

// Resolve implements huma.Resolver.
func (r *raw) Resolve(ctx huma.Context) []error {
	r.request, r.writer = humago.Unwrap(ctx)
	return nil
}

type signInInput struct {
	raw

	Body Credentials
}

func (s *server) signIn(ctx context.Context, in *signInInput) (*answer[Token], error) {
	// A page of another origin may not sign its visitors in as somebody else.
	if err := http.NewCrossOriginProtection().Check(in.request); err != nil {
		return nil, httpError(gitops.Problemf(gitops.Forbidden, "cannot sign in from another site"))
	}
	_, text, err := s.Door.SignIn(ctx, origin.Sender(in.request), in.Body.Username, in.Body.Password)
	if err != nil {
		return nil, httpError(err)
	}
	if err := s.Door.Keep(in.writer, in.request, text); err != nil {
		return nil, httpError(gitops.Problemf(gitops.Invalid, "%w", err))
	}
	return &answer[Token]{Token{text}}, nil
}

type signOutInput struct {
	raw

	Everywhere bool `query:"everywhere" doc:"Ends all sessions that you have begun until now, in every browser and for every program that signed in as you. API keys stay."`
}

// Left says where to go on to.
type Left struct {
	LogoutURL string `json:"logoutURL" doc:"Address of the issuer, at which the browser signs out there, too."`
}

type signOutOutput struct {
	Status int
	Body   *Left
}

func (s *server) signOut(ctx context.Context, in *signOutInput) (*signOutOutput, error) {
	u, e := auth.From(ctx), &audit.Entry{Verb: "sign-out", Resource: "session"}
	if in.Everywhere {
		e.Verb = "sign-out everywhere"
	}
	if u != nil && s.Door.Ends(in.request, in.Everywhere) {
		if err := s.Trail.Begin(ctx, u, e); err != nil {
			return nil, httpError(err)
		}
	}
	address, err := s.leave(u, in)
	if err != nil {
		s.Trail.Failed(ctx, u, e, err)
		return nil, httpError(err)
	}
	if address == "" {
		return &signOutOutput{Status: http.StatusNoContent}, nil
	}
	return &signOutOutput{http.StatusOK, &Left{address}}, nil
}

// leave ends the session of the request, and what else somebody has begun where
// they ask for that. It returns where they go on to.
func (s *server) leave(u *auth.User, in *signOutInput) (string, error) {
	if u != nil && in.Everywhere {
		if err := s.Door.EndAll(in.request.Context(), u); err != nil {
			return "", err
		}
	}
	address, err := s.Door.SignOut(in.writer, in.request)
	if in.Everywhere && errors.Is(err, session.ErrNoSession) {
		return "", nil // an ID token, which has ended with the others
	}
	return address, err
}
