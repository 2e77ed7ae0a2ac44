package serve_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/oidc/oidctest"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

var issuersPeople = []oidctest.User{
	{Subject: "1", Name: "ann", Email: "ann@example.com", Claims: map[string]any{"groups": []string{"payments"}}},
	{Subject: "2", Name: "bob", Claims: map[string]any{"groups": []string{"readers", "role:admin"}}},
	{Subject: "admin", Name: "admin", Claims: map[string]any{"groups": []string{"admin", "proj:default:all"}}},
	{Subject: audit.Engine, Name: audit.Engine},
	{Subject: v1alpha1.ApplicationSetInitiator, Name: v1alpha1.ApplicationSetInitiator},
}

const issuersPolicy = `
p, role:work, applications, *, default/*, allow
p, role:look, applications, get, default/*, allow
g, payments, role:work
g, readers, role:look
`

// issuerSite is a site whose people sign in with an issuer.
func issuerSite(t *testing.T, adjust ...func(*app.Config)) (*site, *oidctest.Server, *corev1.ConfigMap) {
	t.Helper()
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")}, adjust...)
	issuer := oidctest.New(t, issuersPeople, s.url+oidc.CallbackPath)
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.SettingsName}, Data: map[string]string{
		"url": s.url,
		"oidc.config": fmt.Sprintf("name: Work\nissuer: %s\nclientID: %s\ncliClientID: %s\nclientSecret: $sign-in:secret\nlogoutURL: %s/logout?hint={{token}}&to={{logoutRedirectURL}}\nrootCA: |\n  %s",
			issuer.URL, oidctest.ClientID, oidctest.CLIClientID, issuer.URL, strings.ReplaceAll(issuer.CA(), "\n", "\n  ")),
	}}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "sign-in", Labels: map[string]string{"app.kubernetes.io/part-of": "argocd"}},
		StringData: map[string]string{"secret": oidctest.ClientSecret},
	}
	policy := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: rbac.ConfigMap}, Data: map[string]string{"policy.csv": issuersPolicy}}
	if err := errors.Join(s.Create(t.Context(), secret), s.Create(t.Context(), policy), s.Create(t.Context(), settings)); err != nil {
		t.Fatal(err)
	}
	sees(t, s.visitor(""), "/session", func(is *api.Session) error {
		if is.SignIns.OIDC != "Work" || is.SignIns.Notice != "" {
			return fmt.Errorf("the ways to sign in are %+v", is.SignIns)
		}
		return nil
	})
	return s, issuer, settings
}

// tellsOf reads settings that tell of an issuer.
func tellsOf(text string, want *argocd.Issuer) bool {
	var got argocd.Settings
	return json.Unmarshal([]byte(text), &got) == nil && cmp.Equal(got.OIDC, want)
}

// browser is a visitor who trusts the issuer, too.
func (s *site) browser(issuer *oidctest.Server) *visitor {
	v := s.visitor("")
	roots := x509.NewCertPool()
	roots.AddCert(issuer.Certificate())
	config := issuer.TLS().Clone()
	config.RootCAs = roots
	v.client.Transport = &http.Transport{TLSClientConfig: config}
	s.T.Cleanup(v.client.CloseIdleConnections)
	return v
}

// get goes to an address; a step tells where a browser is sent, and ends it by
// an error.
func (v *visitor) get(t *testing.T, address string, step func(*url.URL) error) (*http.Response, string) {
	t.Helper()
	client := v.client
	if step != nil {
		client.CheckRedirect = func(r *http.Request, _ []*http.Request) error { return step(r.URL) }
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func until(paths ...string) func(*url.URL) error {
	return func(u *url.URL) error {
		if slices.Contains(paths, u.Path) {
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// signsIn signs somebody in, and returns where they come back to.
func (v *visitor) signsIn(t *testing.T, issuer *oidctest.Server, subject, back string) string {
	t.Helper()
	issuer.Next(subject)
	resp, text := v.get(t, v.site.url+session.LoginPath+"?return_url="+url.QueryEscape(back), func(u *url.URL) error { //nolint:bodyclose // get reads it to the end and closes it
		if "http://"+u.Host == v.site.url && u.Path != oidc.CallbackPath {
			return http.ErrUseLastResponse
		}
		return nil
	})
	if resp.StatusCode != http.StatusSeeOther || resp.Request.URL.Path != oidc.CallbackPath {
		t.Fatalf("at %s: %s %s", resp.Request.URL, resp.Status, text)
	}
	return resp.Header.Get("Location")
}

// People come in with the groups that the issuer says, and with no name that
// is kept for others.
func TestSignInWithIssuer(t *testing.T) {
	s, issuer, _ := issuerSite(t)
	s.App("app", "app", manual)
	shown := argocd.Issuer{Name: "Work", Issuer: issuer.URL, ClientID: oidctest.ClientID, CLIClientID: oidctest.CLIClientID, Scopes: []string{"openid", "profile", "email", "groups"}, PKCE: true, RootCA: issuer.CA()}
	if resp, text := s.visitor("").get(t, s.url+"/argocd/api/v1/settings", nil); resp.StatusCode != http.StatusOK || !tellsOf(text, &shown) || strings.Contains(text, oidctest.ClientSecret) { //nolint:bodyclose // get reads it to the end and closes it
		t.Errorf("a command line that signs in is told %s %s", resp.Status, text)
	}
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	ann, bob, eve := s.browser(issuer), s.browser(issuer), s.browser(issuer)
	if back := ann.signsIn(t, issuer, "1", "/applications?sync=OutOfSync"); back != "/applications?sync=OutOfSync" {
		t.Errorf("ann comes back to %s", back)
	}
	for _, evil := range []string{"https://evil.example.com/", "//evil.example.com", "/\\evil.example.com", "javascript:alert(1)"} {
		if back := bob.signsIn(t, issuer, "2", evil); back != "/" {
			t.Errorf("%s leads to %s", evil, back)
		}
	}
	eve.signsIn(t, issuer, "admin", "")
	is(t, ann, "ann@example.com", "payments")
	is(t, bob, "bob", "readers", "role:admin")
	is(t, eve, "oidc:admin", "admin", "proj:default:all")
	ann.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	ann.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	bob.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	bob.wants(t, http.StatusForbidden, http.MethodPost, at+"/sync", api.Sync{}, nil)
	eve.wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)
	sees(t, eve, "/applications", func(p *view.Page) error {
		if p.Total != 0 {
			return fmt.Errorf("eve sees %d applications", p.Total)
		}
		return nil
	})
	engine, admin := s.browser(issuer), s.visitor("")
	engine.signsIn(t, issuer, audit.Engine, "")
	is(t, engine, "oidc:causeway")
	roller := s.browser(issuer)
	roller.signsIn(t, issuer, v1alpha1.ApplicationSetInitiator, "")
	is(t, roller, "oidc:"+v1alpha1.ApplicationSetInitiator)
	admin.signIn(t)
	audited(t, admin, "verb=sign-in&outcome=allowed&who=ann@example.com", "signing in", func(e *audit.Entry) bool { return e.Who.Via == "oidc" && e.From.Address == "127.0.0.1" })
	issuer.Rotate()
	again := s.browser(issuer)
	again.signsIn(t, issuer, "1", "")
	is(t, again, "ann@example.com", "payments")

	var left api.Left
	ann.wants(t, http.StatusOK, http.MethodDelete, "/session", nil, &left)
	if start := issuer.URL + "/logout?hint=ey"; !strings.HasPrefix(left.LogoutURL, start) || !strings.HasSuffix(left.LogoutURL, "&to="+url.QueryEscape(s.url)) {
		t.Errorf("ann goes to %s", left.LogoutURL)
	}
	ann.wants(t, http.StatusUnauthorized, http.MethodGet, at, nil, nil)
	bob.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
}

// is tells who somebody is to the API.
func is(t *testing.T, v *visitor, name string, groups ...string) {
	t.Helper()
	sees(t, v, "/session", func(is *api.Session) error {
		if is.User == nil || is.User.Name != name || !slices.Equal(is.User.Groups, groups) || is.User.Via != "oidc" {
			return fmt.Errorf("they are %+v", is.User)
		}
		return nil
	})
}

// What did not begin in the same browser, or was used, begins no session.
func TestSignInWithIssuerForged(t *testing.T) {
	s, issuer, settings := issuerSite(t)
	victim, thief := s.browser(issuer), s.browser(issuer)
	issuer.Next("1")
	begin := func(v *visitor) string {
		resp, _ := v.get(t, s.url+session.LoginPath, until(oidc.CallbackPath)) //nolint:bodyclose // get reads it to the end and closes it
		return resp.Header.Get("Location")
	}
	answer := begin(thief)
	refused := func(reason string, v *visitor, address string) {
		t.Helper()
		resp, text := v.get(t, address, until("/")) //nolint:bodyclose // get reads it to the end and closes it
		if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("Location") != "" {
			t.Errorf("%s: %s %s", reason, resp.Status, text)
		}
		nobody(t, v)
	}
	refused("a link to the answer of somebody else's sign-in", victim, answer)
	begin(victim)
	refused("such a link in the middle of a sign-in", victim, answer)
	refused("no state", victim, s.url+oidc.CallbackPath+"?code=x")
	admin := s.visitor("")
	admin.signIn(t)
	audited(t, admin, "verb=sign-in&outcome=denied", "a forged sign-in", func(e *audit.Entry) bool { return e.Who.Via == "oidc" && e.Who.Name == "" })

	kept := cookiesOf(t, thief, answer)
	if resp, text := thief.get(t, answer, until("/")); resp.StatusCode != http.StatusSeeOther { //nolint:bodyclose // get reads it to the end and closes it
		t.Fatalf("the sign-in itself: %s %s", resp.Status, text)
	}
	replayed := s.browser(issuer)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range kept {
		c.Path = oidc.CallbackPath
	}
	jar.SetCookies(u, kept)
	replayed.client.Jar = jar
	refused("the same answer again", replayed, answer)

	delete(settings.Data, "oidc.config")
	settings.Data["dex.config"] = "connectors: []"
	if err := s.Update(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	sees(t, victim, "/session", func(is *api.Session) error {
		if is.SignIns.OIDC != "" || !strings.Contains(is.SignIns.Notice, "Dex is not run") {
			return fmt.Errorf("the ways to sign in are %+v", is.SignIns)
		}
		return nil
	})
	if resp, text := victim.get(t, s.url+session.LoginPath, nil); resp.StatusCode != http.StatusNotFound || !strings.Contains(text, "Dex is not run") { //nolint:bodyclose // get reads it to the end and closes it
		t.Errorf("a sign-in without an issuer: %s %s", resp.Status, text)
	}
}

// Nobody comes in of whom the audit cannot tell.
func TestSignInWithIssuerUntold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, issuer, _ := issuerSite(t, func(c *app.Config) { c.History.URL = filepath.Join(file, "history.db") })
	v := s.browser(issuer)
	issuer.Next("1")
	if resp, text := v.get(t, s.url+session.LoginPath, until("/")); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "nothing is done") { //nolint:bodyclose // get reads it to the end and closes it
		t.Errorf("%s %s", resp.Status, text)
	}
	nobody(t, v)
}

func nobody(t *testing.T, v *visitor) {
	t.Helper()
	var now api.Session
	if code, err := v.do(t.Context(), http.MethodGet, "/session", nil, &now); err != nil || code != http.StatusOK || now.User != nil {
		t.Errorf("they are %+v, %d, %v", now.User, code, err)
	}
}

// cookiesOf are those that a browser sends to an address.
func cookiesOf(t *testing.T, v *visitor, address string) []*http.Cookie {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return v.client.Jar.Cookies(u)
}

// Programs come with ID tokens of the issuer. While it is away, everybody else
// goes on as before.
func TestIssuerTokens(t *testing.T) {
	s, issuer, _ := issuerSite(t)
	s.App("app", "app", manual)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	claims := issuer.Claims("ci", oidctest.ClientID)
	claims["groups"] = []string{"payments"}
	program := s.visitor(issuer.Sign(t, claims))
	program.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	is(t, program, "ci", "payments")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	forged := s.visitor(oidctest.Sign(t, jose.SigningKey{Algorithm: jose.RS256, Key: key}, claims))
	forged.wants(t, http.StatusUnauthorized, http.MethodGet, at, nil, nil)
	claims["aud"] = oidctest.CLIClientID
	s.visitor(issuer.Sign(t, claims)).wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	claims["aud"] = "other"
	s.visitor(issuer.Sign(t, claims)).wants(t, http.StatusUnauthorized, http.MethodGet, at, nil, nil)
	claims["aud"], claims["groups"] = oidctest.ClientID, []string{"role:admin"}
	s.visitor(issuer.Sign(t, claims)).wants(t, http.StatusNotFound, http.MethodGet, at, nil, nil)

	issuer.Hold()
	waiting, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = forged.do(waiting, http.MethodGet, at, nil, nil)
	}()
	admin := s.visitor("")
	admin.signIn(t)
	admin.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	program.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	cancel()
	issuer.Release()
	<-done
}

func TestIssuerDownAtSignIn(t *testing.T) {
	s, issuer, _ := issuerSite(t)
	issuer.Down(true)
	v := s.browser(issuer)
	resp, text := v.get(t, s.url+session.LoginPath, nil)
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(text, "does not answer") || strings.Contains(text, issuer.URL) {
		t.Errorf("%s %s", resp.Status, text)
	}
	issuer.Down(false)
	embeddedtest.Eventually(t, func(context.Context) error {
		issuer.Next("1")
		if resp, text = v.get(t, s.url+session.LoginPath, until("/")); resp.StatusCode != http.StatusSeeOther { //nolint:bodyclose // get reads it to the end and closes it
			return fmt.Errorf("when it is back: %s %s", resp.Status, text)
		}
		return nil
	})
	is(t, v, "ann@example.com", "payments")
}
