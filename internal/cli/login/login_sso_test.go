package login

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/oidc/oidctest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/test/await"
)

// gatehouse is a server that takes the ID tokens of an issuer.
type gatehouse struct {
	*httptest.Server

	issuer   *oidctest.Server
	settings argocd.Settings
}

func newGatehouse(t *testing.T) *gatehouse {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "KUBECONFIG": "", "CAUSEWAY_STATE_DIR": home, command.VariableToken: "", "DISPLAY": "", "WAYLAND_DISPLAY": "",
	} {
		t.Setenv(name, value)
	}
	g := &gatehouse{issuer: oidctest.New(t, []oidctest.User{{Subject: "1", Name: "ann", Email: "ann@example.com"}})}
	g.settings.OIDC = &argocd.Issuer{Issuer: g.issuer.URL, ClientID: "server", CLIClientID: oidctest.CLIClientID, Scopes: []string{"profile", "email"}, RootCA: g.issuer.CA()}
	config, err := oidc.Public(&oidc.Config{Issuer: g.issuer.URL, ClientID: oidctest.CLIClientID, RootCA: g.issuer.CA()})
	if err != nil {
		t.Fatal(err)
	}
	judge := oidc.New(config, time.Now)
	t.Cleanup(judge.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /argocd/api/v1/settings", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(g.settings) })
	mux.HandleFunc("GET /api/v1/session", func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		claims, err := judge.Bearer(r.Context(), token)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"user": map[string]any{"name": claims.Name(), "via": "oidc"}})
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// signed is what a login left behind.
type signed struct {
	code        int
	out, errors string
}

// printed lets a test read where to go as soon as it is printed.
type printed struct {
	text  bytes.Buffer
	found chan string
}

var whereToGo = regexp.MustCompile(`(?m)^  (https?://\S+)$`)

func (p *printed) Write(b []byte) (int, error) {
	n, err := p.text.Write(b)
	if m := whereToGo.FindStringSubmatch(p.text.String()); m != nil {
		select {
		case p.found <- m[1]:
		default:
		}
	}
	return n, err
}

// signIn runs a login, and does what a person does at the address that is printed.
func (g *gatehouse) signIn(t *testing.T, patience time.Duration, person func(address *url.URL)) signed {
	t.Helper()
	out, errs := bytes.Buffer{}, printed{found: make(chan string, 1)}
	l := &loginFlags{Global: &command.Global{Streams: command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, Version: "test"}, sso: true, patience: patience}
	ended := make(chan error, 1)
	go func() { ended <- l.run(t.Context(), g.URL) }()
	var err error
	select {
	case text := <-errs.found:
		address, parsed := url.Parse(text)
		if parsed != nil {
			t.Fatal(parsed)
		}
		person(address)
		err = <-ended
	case err = <-ended:
	}
	r := signed{out: out.String(), errors: errs.text.String()}
	if err != nil {
		r.code, r.errors = command.ExitFailed, r.errors+err.Error()
	}
	return r
}

// visit is a browser that trusts the issuer; it tells each address it comes by.
func (g *gatehouse) visit(t *testing.T, address string, by func(*url.URL)) (int, string) {
	t.Helper()
	browser := &http.Client{Transport: g.issuer.Client().Transport, Timeout: await.Limit, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		by(r.URL)
		return nil
	}}
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, address, nil)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	resp, err := browser.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

func nowhere(*url.URL) {}

// Who signs in at the issuer is signed in at the server. What others send to
// the landing place meanwhile counts for nothing.
func TestSignInByTheIssuer(t *testing.T) {
	g := newGatehouse(t)
	g.issuer.Next("1")
	var last *url.URL
	got := g.signIn(t, await.Limit, func(address *url.URL) {
		q := address.Query()
		if q.Get("client_id") != oidctest.CLIClientID || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("nonce") == "" || q.Get("state") == "" {
			t.Errorf("the browser is sent to %s", address)
		}
		home, err := url.Parse(q.Get("redirect_uri"))
		if err != nil || home.Hostname() != "127.0.0.1" || home.Path != oidc.CallbackPath {
			t.Errorf("it comes back to %s", q.Get("redirect_uri"))
		}
		for _, strange := range []string{"?code=x&state=wrong", "?code=x", "/more?code=x&state=" + q.Get("state")} {
			if code, text := g.visit(t, home.String()+strange, nowhere); code != http.StatusBadRequest && code != http.StatusNotFound {
				t.Errorf("%s: %d %s", strange, code, text)
			}
		}
		elsewhere := "http://localhost:" + home.Port() + home.Path + "?code=x&state=" + q.Get("state")
		if code, text := g.visit(t, elsewhere, nowhere); code != http.StatusNotFound {
			t.Errorf("under another name: %d %s", code, text)
		}
		if code, text := g.visit(t, address.String(), func(u *url.URL) { last = u }); code != http.StatusOK || !strings.Contains(text, "You can close this page") {
			t.Errorf("in the end: %d %s", code, text)
		}
	})
	if got.code != command.ExitFine || got.out != "signed in at "+g.URL+" as ann@example.com\n" || !strings.Contains(got.errors, "lets it count until") {
		t.Fatalf("%+v", got)
	}
	info, err := os.Stat(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "causeway", "logins.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	kept, err := target.ReadLogins()
	if err != nil {
		t.Fatal(err)
	}
	token := kept.Servers[g.URL].Token
	if token == "" || strings.Contains(got.out+got.errors, token) || last == nil || strings.Contains(got.out+got.errors, last.Query().Get("code")) {
		t.Errorf("the login is kept as %d bytes, and printed is %+v", len(token), got)
	}
}

func TestSignInByTheIssuerFails(t *testing.T) {
	answer := func(change func(url.Values)) func(*testing.T, *gatehouse, *url.URL) {
		return func(t *testing.T, g *gatehouse, address *url.URL) {
			t.Helper()
			q := url.Values{"state": {address.Query().Get("state")}}
			change(q)
			if code, _ := g.visit(t, address.Query().Get("redirect_uri")+"?"+q.Encode(), nowhere); code != http.StatusBadGateway {
				t.Errorf("the page has the code %d", code)
			}
		}
	}
	cases := map[string]struct {
		reason string
		change func(*gatehouse)
		person func(*testing.T, *gatehouse, *url.URL)
		want   string
	}{
		"no issuer":    {"the server says that there is none", func(g *gatehouse) { g.settings.OIDC = nil }, nil, "no issuer is set up at"},
		"in the clear": {"whoever is on the way would be believed", func(g *gatehouse) { g.settings.OIDC.Issuer = "http://issuer.example.com" }, nil, "in the clear"},
		"no address":   {"the settings are of no use", func(g *gatehouse) { g.settings.OIDC.Issuer = "file:///etc" }, nil, "is no address such as"},
		"away":         {"the issuer does not answer", func(g *gatehouse) { g.issuer.Down(true) }, nil, "cannot begin to sign in"},
		"denied":       {"the person is not let in", nil, answer(func(q url.Values) { q.Set("error", "access_denied") }), `it says "access_denied"`},
		"wrong code":   {"the code is made up", nil, answer(func(q url.Values) { q.Set("code", "made up") }), "it does not take the code"},
		"no code":      {"there is nothing in the answer", nil, answer(func(url.Values) {}), "it has no code"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := newGatehouse(t)
			if tc.change != nil {
				tc.change(g)
			}
			got := g.signIn(t, await.Limit, func(address *url.URL) {
				if tc.person == nil {
					t.Fatalf("%s: the browser is sent to %s", tc.reason, address)
				}
				tc.person(t, g, address)
			})
			kept, err := target.ReadLogins()
			if got.code != command.ExitFailed || !strings.Contains(got.errors, tc.want) || err != nil || len(kept.Servers) != 0 {
				t.Errorf("%s: %+v, want %q; kept is %+v, %v", tc.reason, got, tc.want, kept, err)
			}
		})
	}
}

// Nobody is waited for without end.
func TestSignInByTheIssuerTakesTooLong(t *testing.T) {
	g := newGatehouse(t)
	got := g.signIn(t, 10*time.Millisecond, func(*url.URL) {})
	if got.code != command.ExitFailed || !strings.Contains(got.errors, "nobody signed in within 10ms") {
		t.Errorf("%+v", got)
	}
}

// A browser opens where there is a screen, and gets the address as it is.
func TestABrowserOpens(t *testing.T) {
	for system, want := range map[string]string{"darwin": "open []", "windows": "rundll32 [url.dll,FileProtocolHandler]", "linux": " []"} {
		name, args := opener(system, func(string) string { return "" })
		if got := fmt.Sprint(name, " ", args); got != want {
			t.Errorf("%s: %q, want %q", system, got, want)
		}
	}
	if name, _ := opener("linux", func(of string) string { return map[string]string{"WAYLAND_DISPLAY": "wayland-0"}[of] }); name != "xdg-open" {
		t.Errorf("on a screen %q opens addresses", name)
	}
}
