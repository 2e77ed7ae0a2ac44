package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A proxy that wants people to sign in answers with a page, or sends to one. A request that
// changes something has not been carried out then, and nobody may be told that it was.
func TestAPageOfAProxyIsNoSuccess(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>sign in</html>")) }
	send := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/sign-in" {
				page(w, r)
				return
			}
			http.Redirect(w, r, "/sign-in", code)
		}
	}
	for name, tc := range map[string]struct {
		reason  string
		answers http.HandlerFunc
		says    string
	}{
		"Page":  {"it answers with the page", page, "is it a Causeway of this version?"},
		"Found": {"it sends to the page, as most do", send(http.StatusFound), "sends to /sign-in, and nothing was done"},
		"Other": {"or so", send(http.StatusSeeOther), "sends to /sign-in, and nothing was done"},
		"Kept":  {"the request goes on to it as it is", send(http.StatusTemporaryRedirect), "is it a Causeway of this version?"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(tc.answers)
			defer s.Close()
			c, k := dial(t, s), Key{"argocd", "web"}
			for what, do := range map[string]func(context.Context) error{
				"terminate": func(ctx context.Context) error { return c.Terminate(ctx, k) },
				"delete":    func(ctx context.Context) error { return c.Delete(ctx, k, "keep") },
				"revoke":    func(ctx context.Context) error { return c.RevokeKey(ctx, "id") },
			} {
				if err := do(t.Context()); err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: to %s: %v, want %q", tc.reason, what, err, tc.says)
				}
			}
		})
	}
}

// Who names a server in the clear that has moved to TLS is told the address to name: its host
// alone is what they have named.
func TestWhereAServerSendsToIsNamedAsAWhole(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
	}))
	defer s.Close()
	want := "sends to " + strings.Replace(s.URL, "http:", "https:", 1) + ": name that address"
	if _, err := dial(t, s).Session(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
