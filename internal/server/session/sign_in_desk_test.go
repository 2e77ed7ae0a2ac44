package session

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
)

// wrong has settings that cannot be used.
type wrong struct{}

func (wrong) Current(context.Context) (*oidc.Issuer, error) {
	return nil, errors.New("cannot resolve clientSecret of oidc.config: Secret sign-in has no key treasure")
}

func (wrong) User(oidc.Claims) *auth.User { return nil }

// What is wrong with the settings is for the log: anybody may begin to sign in.
func TestStrangersAreNotToldOfSettings(t *testing.T) {
	g, _ := newGate(t)
	g.Issuers = wrong{}
	var log strings.Builder
	d := NewDesk(g, nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
	for path, ask := range map[string]http.HandlerFunc{LoginPath: d.Login, oidc.CallbackPath: d.Callback} {
		log.Reset()
		w := httptest.NewRecorder()
		ask(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if text := w.Body.String(); strings.Contains(text, "treasure") || !strings.Contains(text, ErrUnusable.Error()) || w.Code != http.StatusNotFound {
			t.Errorf("at %s, a stranger is told: %d %s", path, w.Code, text)
		}
		if !strings.Contains(log.String(), "treasure") {
			t.Errorf("at %s, the log does not say why: %s", path, log.String())
		}
	}
}

// Browsers read addresses in more ways than one: what comes out is a path of
// the installation in all of them.
func TestOwn(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "causeway.example.com", Path: "/ops"}
	for wanted, want := range map[string]string{
		"/applications?health=Degraded#x":           "/applications?health=Degraded#x",
		"https://causeway.example.com/applications": "/applications",
		"/a%20b":                       "/a%20b",
		"":                             "/ops/",
		"https://evil.example.com/":    "/ops/",
		"http://causeway.example.com/": "/ops/",
		"https://causeway.example.com@evil.example.com":  "/ops/",
		"https://me@causeway.example.com/":               "/ops/",
		"https://causeway.example.com//evil.example.com": "/ops/",
		"//evil.example.com/":                            "/ops/",
		"///evil.example.com":                            "/ops/",
		"/\\evil.example.com":                            "/ops/",
		"\\\\evil.example.com":                           "/ops/",
		"/\t/evil.example.com":                           "/ops/",
		"/\n/evil.example.com":                           "/ops/",
		"javascript:alert(1)":                            "/ops/",
		"data:text/html,x":                               "/ops/",
		"evil.example.com":                               "/ops/",
		"%2f%2fevil.example.com":                         "/ops/",
		"/%2f/evil.example.com":                          "/ops/",
		"/" + strings.Repeat("x", maxReturn):             "/ops/",
	} {
		if got := own(base, wanted); got != want {
			t.Errorf("%q leads to %q, want %q", wanted, got, want)
		}
	}
}

func FuzzOwn(f *testing.F) {
	for _, seed := range []string{"/a", "//evil.example.com", "/\\evil", "https://causeway.example.com/x?y#z", "/%2f/x", "?#", "%2f0", "%2F/x"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "https", Host: "causeway.example.com"}
	f.Fuzz(func(t *testing.T, wanted string) {
		got := own(base, wanted)
		to, err := base.Parse(got)
		if err != nil || to.Host != base.Host || to.Scheme != base.Scheme || !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.ContainsAny(got, "\\\r\n\t") {
			t.Errorf("%q leads to %q", wanted, got)
		}
	})
}
