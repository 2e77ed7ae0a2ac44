package argocd

import (
	"context"
	"net/http"
	"runtime"
	"strings"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// form is the version of Argo CD whose form the answers have: tools choose by
// it. What it is in truth stands behind it.
const form = "v3.5.0+causeway"

// Settings is the public part of an installation's settings.
type Settings struct {
	URL                 string `json:"url,omitempty"`
	AppLabelKey         string `json:"appLabelKey,omitempty"`
	TrackingMethod      string `json:"trackingMethod,omitempty"`
	ControllerNamespace string `json:"controllerNamespace,omitempty"`
	AnyNamespace        bool   `json:"appsInAnyNamespaceEnabled,omitempty"`
	InstallationID      string `json:"installationID,omitempty"`
	// OIDC is what a program needs to sign somebody in with the issuer; absent without one.
	OIDC *Issuer `json:"oidcConfig,omitempty"`
}

// Issuer is the one that people sign in with: nothing of it is secret.
type Issuer struct {
	Name     string `json:"name,omitempty"`
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientID"`
	// CLIClientID is the client that command lines are; ClientID without one.
	CLIClientID string         `json:"cliClientID,omitempty"`
	Scopes      []string       `json:"scopes,omitempty"`
	Claims      map[string]any `json:"idTokenClaims,omitempty"`
	PKCE        bool           `json:"enablePKCEAuthentication"`
	// RootCA are certificates (PEM) by which the issuer's is checked; Argo CD does not tell them.
	RootCA string `json:"rootCA,omitempty"`
}

func (s *server) settings(c *call) (any, error) { return s.Settings(c.Context()), nil }

func (s *server) version(*call) (any, error) {
	version := form
	if s.Version != "" {
		version += "." + s.Version
	}
	return struct {
		Version   string
		GoVersion string
		Compiler  string
		Platform  string
	}{version, runtime.Version(), runtime.Compiler, runtime.GOOS + "/" + runtime.GOARCH}, nil
}

// maxCredential bounds a name and a password.
const maxCredential = 1024

func (s *server) signIn(c *call) (any, error) {
	var body struct {
		Username string `json:"username"`
		Password string `json:"password"`
	}
	if err := s.decode(c, &body); err != nil {
		return nil, err
	}
	if body.Username == "" || body.Password == "" || len(body.Username) > maxCredential || len(body.Password) > maxCredential {
		return nil, problemf(unauthenticated, "Invalid username or password")
	}
	_, text, err := s.Door.SignIn(c.Context(), origin.Sender(c.Request), body.Username, body.Password)
	if err != nil {
		return nil, err
	}
	return struct {
		Token string `json:"token"`
	}{text}, nil
}

// signOut answers before it is known how: cookies are taken back by a header.
func (s *server) signOut(c *call) (any, error) {
	e := &audit.Entry{Verb: "sign-out", Resource: "session"}
	if c.user != nil && s.Door.Ends(c.Request, false) {
		if err := s.Trail.Begin(c.Context(), c.user, e); err != nil {
			return nil, err
		}
	}
	return stream(func(w http.ResponseWriter) {
		if _, err := s.Door.SignOut(w, c.Request); err != nil {
			s.Trail.Failed(c.Context(), c.user, e, err)
			s.refuse(w, c.Request, err)
			return
		}
		header(w, "application/json")
		_, _ = w.Write([]byte(`{"token":""}`))
	}), nil
}

func (s *server) userInfo(c *call) (any, error) {
	info := struct {
		LoggedIn bool     `json:"loggedIn"`
		Username string   `json:"username,omitempty"`
		Issuer   string   `json:"iss,omitempty"`
		Groups   []string `json:"groups,omitempty"`
	}{}
	if u := c.user; u != nil {
		info.LoggedIn, info.Username, info.Groups = true, u.Name, u.Groups
		info.Issuer, _ = u.Claims["iss"].(string)
	}
	return info, nil
}

// canI reports whether somebody may do something, in the words of policies.
func (s *server) canI(c *call) (any, error) {
	answer := struct {
		Value string `json:"value"`
	}{"no"}
	for _, part := range []string{c.PathValue("resource"), c.PathValue("action"), c.PathValue("object")} {
		if len(part) > maxText {
			return nil, problemf(invalid, "what is asked about has more than %d characters", maxText)
		}
	}
	err := s.reach.Permit(c.Context(), accessOf(c.PathValue("resource"), c.PathValue("action"), c.PathValue("object")))
	if err == nil {
		answer.Value = "yes"
		return answer, nil
	}
	if problemOf(err).code == denied {
		return answer, nil
	}
	return nil, err
}

// accessOf reads an object as policies name it: PROJECT/NAME or
// PROJECT/NAMESPACE/NAME for what is in a project.
func accessOf(resource, action, object string) reach.Access {
	a := reach.Access{Resource: resource, Action: action, Name: object}
	switch resource {
	case "applications", "applicationsets", "logs", "exec":
	default:
		return a
	}
	parts := strings.SplitN(object, "/", 3)
	switch len(parts) {
	case 1:
		a.Project, a.Name = object, "*"
	case 2:
		a.Project, a.Name = parts[0], parts[1]
	default:
		a.Project, a.Namespace, a.Name = parts[0], parts[1], parts[2]
	}
	return a
}

// cookie is where scripts for Argo CD send their token, besides the header.
const cookie = "argocd.token"

// byCookie marks a request whose token was in that cookie.
type byCookie struct{}

// meant tells why a write that is asked for by a GET may be none that its sender
// wants. Scripts that send Argo CD's cookie say nothing of pages; browsers do.
func (c *call) meant() error {
	if by, _ := c.Context().Value(byCookie{}).(bool); by {
		if site := c.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
			return session.ErrForged
		}
	}
	return session.Meant(c.Request)
}

// Cookies takes a token from Argo CD's cookie as if it were in the header.
// Browsers may still have one, and send it along with what other pages ask
// for; those requests are refused.
func Cookies(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error)) http.Handler {
	forged := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(cookie)
		if err != nil || r.Header.Get("Authorization") != "" {
			next.ServeHTTP(w, r)
			return
		}
		if forged.Check(r) != nil {
			refuse(w, r, session.ErrForged)
			return
		}
		r = r.Clone(context.WithValue(r.Context(), byCookie{}, true))
		r.Header.Set("Authorization", "Bearer "+c.Value)
		next.ServeHTTP(w, r)
	})
}
