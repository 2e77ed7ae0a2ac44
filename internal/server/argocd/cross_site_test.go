package argocd

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// doors has an account whose password is right.
type doors struct{}

func (doors) Verify(context.Context, string, string) (*auth.User, error) {
	return &auth.User{Name: "reader"}, nil
}
func (doors) Known(string) bool                         { return true }
func (doors) Valid(context.Context, *token.Token) error { return nil }

// A page of another site writes nothing by the session of who looks at it: a
// refresh is a write, though it is asked for by a GET, with which browsers send
// the cookie where a page is gone to. Tools that send a token refresh as ever.
func TestPagesOfOtherSitesRefreshNothing(t *testing.T) {
	signer, err := token.New([]byte(strings.Repeat("k", 32)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	gate := &session.Gate{Signer: signer, Accounts: doors{}}
	door := session.NewDoor(gate)
	_, text, err := door.SignIn(t.Context(), "192.0.2.1", "reader", "right")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	h := Cookies(gate.Wrap(New(Options{
		Options:  api.Options{Log: slog.New(slog.DiscardHandler), Namespace: "argocd", Index: w.index, Rights: w, Applications: w, Operate: w},
		Versions: w,
	}), Refuse), Refuse)
	ours := func(r *http.Request) {
		kept := httptest.NewRecorder()
		if err := door.Keep(kept, r, text); err != nil {
			t.Fatal(err)
		}
		for _, c := range kept.Result().Cookies() {
			if c.Value != "" {
				r.AddCookie(c)
			}
		}
	}
	argo := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookie, Value: text}) }
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }
	const get, refresh = "", "?refresh=hard"
	for name, tc := range map[string]struct {
		reason, query string
		by            func(*http.Request)
		site          string
		code          int
	}{
		"a link":          {"another site leads there", refresh, ours, "cross-site", http.StatusForbidden},
		"a neighbour":     {"a site below the same name does", refresh, ours, "same-site", http.StatusForbidden},
		"a letter":        {"a program of mail does", refresh, ours, "none", http.StatusForbidden},
		"unsaid":          {"browsers say nothing without TLS, and send no Origin", refresh, ours, "", http.StatusForbidden},
		"a read":          {"nothing is written", get, ours, "cross-site", http.StatusOK},
		"ours":            {"a page of ours asks", refresh, ours, "same-origin", http.StatusOK},
		"Argo CD's":       {"its cookie is one as well", refresh, argo, "cross-site", http.StatusForbidden},
		"Argo CD's tools": {"scripts send its cookie, and say nothing of pages", refresh, argo, "", http.StatusOK},
		"a token":         {"no browser sends it by itself", refresh, bearer, "", http.StatusOK},
		"a portal":        {"nor where a page asks that knows it", refresh, bearer, "cross-site", http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://causeway.example.com"+Prefix+"/v1/applications/web"+tc.query, nil)
			tc.by(r)
			if tc.site != "" {
				r.Header.Set("Sec-Fetch-Site", tc.site)
			}
			got := httptest.NewRecorder()
			if h.ServeHTTP(got, r); got.Code != tc.code {
				t.Errorf("%s: %d %s", tc.reason, got.Code, got.Body)
			}
		})
	}
}
