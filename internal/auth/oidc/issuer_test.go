package oidc

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/auth/oidc/oidctest"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/test/await"
)

const (
	home = "https://causeway.example.com"
)

var people = []oidctest.User{
	{Subject: "1", Name: "ann", Email: "ann@example.com", Claims: map[string]any{"groups": []string{"payments", "web"}}},
	{Subject: "2", Name: "bob"},
}

// clock is one that a test moves.
type clock struct {
	mu sync.Mutex
	by time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.by)
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by += by
}

func issuerAt(t *testing.T, s *oidctest.Server, change ...func(*Config)) (*Issuer, *clock) {
	t.Helper()
	c := &Config{Issuer: s.URL, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RootCA: s.CA()}
	for _, f := range change {
		f(c)
	}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	at := &clock{}
	i := New(c, at.now)
	i.time = await.Limit
	t.Cleanup(i.Close)
	return i, at
}

func base() *url.URL { return &url.URL{Scheme: "https", Host: "causeway.example.com"} }

// visit goes where an issuer sends a browser, until it is sent back home.
func visit(t *testing.T, s *oidctest.Server, address string) url.Values {
	t.Helper()
	var back *url.URL
	browser := &http.Client{Transport: s.Client().Transport, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host == base().Host {
			back = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if back == nil || back.Path != CallbackPath {
		t.Fatalf("the issuer answers %s and sends to %v", resp.Status, back)
	}
	return back.Query()
}

// signIn signs somebody in, with what a test changes on the way.
func signIn(t *testing.T, s *oidctest.Server, i *Issuer, subject string, change func(a *Attempt, address string) string, answered func(url.Values)) (Claims, error) {
	t.Helper()
	s.Next(subject)
	a, address, err := i.Begin(t.Context(), base(), "/")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		address = change(a, address)
	}
	answer := visit(t, s, address)
	if answer.Get("state") != a.State {
		t.Fatal("the state does not come back")
	}
	if answered != nil {
		answered(answer)
	}
	claims, id, err := i.Finish(t.Context(), a, answer)
	if err == nil && id == "" {
		t.Error("the ID token does not come back")
	}
	return claims, err
}

func TestSignIn(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s)
	ann, err := signIn(t, s, i, "1", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ann.Name() != "ann@example.com" || ann.Email() != "ann@example.com" || ann["sub"] != "1" {
		t.Errorf("ann is %v", ann)
	}
	kept := ann.Keep([]string{"groups", "none"})
	if groups, _ := kept["groups"].([]any); len(kept) != 1 || !slices.Equal(groups, []any{"payments", "web"}) {
		t.Errorf("what is kept of ann is %v", kept)
	}
	bob, err := signIn(t, s, i, "2", nil, nil)
	if err != nil || bob.Name() != "bob" || bob.Email() != "" {
		t.Errorf("bob is %v, %v", bob, err)
	}
	s.Rotate()
	if _, err := signIn(t, s, i, "1", nil, nil); err != nil {
		t.Errorf("after the issuer's keys changed: %v", err)
	}
	if s.Asked(oidctest.Discovery) != 1 || s.Asked(oidctest.Keys) != 2 {
		t.Errorf("the issuer was asked %d times for its addresses, and %d times for its keys", s.Asked(oidctest.Discovery), s.Asked(oidctest.Keys))
	}
}

func TestSignInRefused(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s)
	cases := map[string]struct {
		reason   string
		change   func(a *Attempt, address string) string
		answered func(url.Values)
	}{
		"Nonce":      {reason: "an ID token of another sign-in", change: func(_ *Attempt, address string) string { return with(address, "nonce", "another") }},
		"NoNonce":    {reason: "an ID token of no sign-in", change: func(_ *Attempt, address string) string { return with(address, "nonce", "") }},
		"Verifier":   {reason: "a code that somebody else asked for", change: func(a *Attempt, address string) string { a.Verifier = "another"; return address }},
		"NoVerifier": {reason: "a code of an intruder who has no verifier", change: func(a *Attempt, address string) string { a.Verifier = ""; return address }},
		"Code":       {reason: "a code that is made up", answered: func(v url.Values) { v.Set("code", "made-up") }},
		"NoCode":     {reason: "an answer without a code", answered: func(v url.Values) { v.Del("code") }},
		"Error":      {reason: "somebody who did not want to", answered: func(v url.Values) { v.Set("error", "access_denied") }},
		"Issuer":     {reason: "the answer of another issuer", answered: func(v url.Values) { v.Set("iss", "https://other.example.com") }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			claims, err := signIn(t, s, i, "1", c.change, c.answered)
			if !errors.Is(err, ErrRefused) || claims != nil {
				t.Errorf("%s: %v, %v", c.reason, claims, err)
			}
		})
	}
	var code string
	if _, err := signIn(t, s, i, "1", nil, func(v url.Values) { code = v.Get("code") }); err != nil {
		t.Fatal(err)
	}
	if _, err := signIn(t, s, i, "1", nil, func(v url.Values) { v.Set("code", code) }); !errors.Is(err, ErrRefused) {
		t.Errorf("a code that was used: %v", err)
	}
}

func with(address, name, value string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// The question always has a challenge of PKCE, and what the settings ask for.
func TestQuestion(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s, func(c *Config) {
		c.IDTokenClaims = map[string]any{"groups": map[string]any{"essential": true}}
		c.DomainHint, c.Scopes = "example.com", []string{"email"}
	})
	_, address, err := i.Begin(t.Context(), base(), "/")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"code_challenge_method": "S256", "response_type": "code", "scope": "openid email", "redirect_uri": home + CallbackPath,
		"claims": `{"id_token":{"groups":{"essential":true}}}`, "domain_hint": "example.com", "client_id": oidctest.ClientID,
	} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(u.Query().Get(name)) < 20 {
			t.Errorf("%s is %q", name, u.Query().Get(name))
		}
	}
	if strings.Contains(address, "secret") {
		t.Error("the address tells a secret")
	}
}

func TestBearer(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func(map[string]any)) string {
		claims := s.Claims("1", oidctest.ClientID)
		f(claims)
		return s.Sign(t, claims)
	}
	good := change(func(map[string]any) {})
	head, body, _ := strings.Cut(good, ".")
	payload, signature, _ := strings.Cut(body, ".")
	hour := time.Hour
	cases := map[string]struct {
		reason, token string
		taken         bool
	}{
		"Good":      {"what the issuer made for the client", good, true},
		"JustOver":  {"an end that clocks may differ about", change(func(c map[string]any) { c["exp"] = time.Now().Add(-5 * time.Second).Unix(); c["iat"] = 1 }), true},
		"OtherKey":  {"somebody else's key", oidctest.Sign(t, jose.SigningKey{Algorithm: jose.RS256, Key: other}, s.Claims("1", oidctest.ClientID)), false},
		"KeyInside": {"a key that it brings itself", embedded(t, other, s.Claims("1", oidctest.ClientID)), false},
		"None":      {"no signature, and it says so", "eyJhbGciOiJub25lIn0." + payload + ".", false},
		"NoneKept":  {"another header before the signature", "eyJhbGciOiJub25lIn0." + payload + "." + signature, false},
		"Unsigned":  {"the signature cut off", head + "." + payload + ".", false},
		"Shared":    {"the client's secret as the key", oidctest.Sign(t, jose.SigningKey{Algorithm: jose.HS256, Key: []byte(oidctest.ClientSecret + strings.Repeat("0", 32))}, s.Claims("1", oidctest.ClientID)), false},
		"Issuer":    {"another issuer", change(func(c map[string]any) { c["iss"] = "https://other.example.com" }), false},
		"Audience":  {"another audience", change(func(c map[string]any) { c["aud"] = "other" }), false},
		"NoAud":     {"no audience", change(func(c map[string]any) { delete(c, "aud") }), false},
		"Expired":   {"one that has ended", change(func(c map[string]any) { c["exp"] = time.Now().Add(-hour).Unix() }), false},
		"NoEnd":     {"one that never ends", change(func(c map[string]any) { delete(c, "exp") }), false},
		"Early":     {"one that counts later", change(func(c map[string]any) { c["nbf"] = time.Now().Add(hour).Unix() }), false},
		"Nobody":    {"one without a subject", change(func(c map[string]any) { c["sub"] = "" }), false},
		"Long":      {"one that is too long", change(func(c map[string]any) { c["x"] = strings.Repeat("x", maxToken) }), false},
		"NoToken":   {"no token at all", "a.b.c", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f, err := i.find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f.keys.limit = rate.NewLimiter(rate.Inf, 1) // another test is about it
			claims, err := i.Bearer(t.Context(), c.token)
			if (err == nil) != c.taken || err != nil && !errors.Is(err, ErrRefused) {
				t.Errorf("%s: %v, %v", c.reason, claims, err)
			}
			if err != nil && (strings.Contains(err.Error(), "other") && name == "Audience" || claims != nil) {
				t.Errorf("%s: the error tells claims: %v", c.reason, err)
			}
		})
	}
}

// embedded has the public key in its header.
func embedded(t *testing.T, key *rsa.PrivateKey, claims map[string]any) string {
	t.Helper()
	return oidctest.Sign(t, jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "mine"}}, claims)
}

func TestAudiences(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	cases := map[string]struct {
		reason   string
		change   func(*Config)
		audience any
		taken    bool
	}{
		"CLI":        {"the command line's client", func(c *Config) { c.CLIClientID = "cli" }, "cli", true},
		"Allowed":    {"one that is allowed", func(c *Config) { c.AllowedAudiences = []string{"ci"} }, []string{"x", "ci"}, true},
		"NotAllowed": {"the client, which the list does not name", func(c *Config) { c.AllowedAudiences = []string{"ci"} }, oidctest.ClientID, false},
		"Without":    {"no audience where none is needed", func(c *Config) { c.NoAudience = true }, nil, true},
		"Other":      {"another audience where none is needed", func(c *Config) { c.NoAudience = true }, "other", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			i, _ := issuerAt(t, s, c.change)
			claims := s.Claims("1", "")
			if claims["aud"] = c.audience; c.audience == nil {
				delete(claims, "aud")
			}
			if _, err := i.Bearer(t.Context(), s.Sign(t, claims)); (err == nil) != c.taken {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}

// Tokens with keys that nobody knows ask the issuer a bounded number of times,
// and do not keep others from coming in.
func TestKeysAreLimited(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s)
	good := s.Sign(t, s.Claims("1", oidctest.ClientID))
	if _, err := i.Bearer(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	i.known.keys.limit = rate.NewLimiter(0, 3)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	forged := embedded(t, other, s.Claims("1", oidctest.ClientID))
	for range 50 {
		if _, err := i.Bearer(t.Context(), forged); err == nil {
			t.Fatal("a forged token is taken")
		}
	}
	if n := s.Asked(oidctest.Keys); n != 4 {
		t.Errorf("the issuer was asked %d times for its keys", n)
	}
	if _, err := i.Bearer(t.Context(), good); err != nil {
		t.Errorf("a good token meanwhile: %v", err)
	}
}

func TestIssuerDown(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, at := issuerAt(t, s)
	s.Down(true)
	for range 3 {
		if _, _, err := i.Begin(t.Context(), base(), "/"); !errors.Is(err, ErrAway) {
			t.Errorf("while the issuer is down: %v", err)
		}
	}
	at.move(againAfter)
	s.Down(false)
	if _, err := signIn(t, s, i, "1", nil, nil); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	good := s.Sign(t, s.Claims("1", oidctest.ClientID))
	s.Down(true)
	i.known.until = at.now()
	if _, err := i.Bearer(t.Context(), good); err != nil {
		t.Errorf("what was found before is good while the issuer is away: %v", err)
	}
	if _, err := signIn(t, s, i, "1", func(_ *Attempt, address string) string { s.Down(false); return address }, func(url.Values) { s.Down(true) }); !errors.Is(err, ErrAway) {
		t.Errorf("when it goes down before it gives tokens: %v", err)
	}
}

// A slow issuer holds up a bounded number of requests.
func TestIssuerSlow(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s)
	s.Hold()
	var all sync.WaitGroup
	most := atOnce - kept
	for n := range most {
		all.Go(func() {
			if _, _, err := i.Begin(origin.With(t.Context(), fmt.Sprintf("192.0.2.%d", n)), base(), "/"); err != nil {
				t.Errorf("who waited: %v", err)
			}
		})
	}
	for end := time.Now().Add(await.Limit); i.places.Used() < most; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d wait", i.places.Used())
		}
	}
	if _, _, err := i.Begin(t.Context(), base(), "/"); !errors.Is(err, ErrBusy) {
		t.Errorf("who comes besides: %v", err)
	}
	s.Release()
	all.Wait()
	if n := s.Asked(oidctest.Discovery); n != 1 {
		t.Errorf("the issuer was asked %d times", n)
	}
}

// Made-up codes take a share of the places before the issuer, by where they come
// from: others exchange theirs, and begin to sign in.
func TestMadeUpCodesKeepNobodyOut(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s)
	begin := func() *Attempt {
		a, _, err := i.Begin(t.Context(), base(), "/")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	begin() // the addresses are known
	s.Hold()
	var all sync.WaitGroup
	bring := func(from string) {
		a := begin()
		all.Go(func() {
			_, _, _ = i.Finish(origin.With(t.Context(), from), a, url.Values{"code": {"made up"}, "state": {a.State}, "iss": {s.URL}})
		})
	}
	for n := range atOnce {
		bring("192.0.2.1")
		bring(fmt.Sprintf("2001:db8:0:%x::1", n))
	}
	for end := time.Now().Add(await.Limit); i.places.Used() < ofNetwork+ofSite; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d wait", i.places.Used())
		}
	}
	begin()
	leave, err := i.enter(origin.With(t.Context(), "198.51.100.7"))
	if err != nil {
		t.Errorf("somebody else: %v", err)
	} else {
		leave()
	}
	s.Release()
	all.Wait()
}

// One that never answers is given up.
func TestIssuerSilent(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s)
	i.time = time.Millisecond
	s.Hold()
	if _, _, err := i.Begin(t.Context(), base(), "/"); !errors.Is(err, ErrAway) {
		t.Errorf("a sign-in: %v", err)
	}
}

// Its certificate is checked.
func TestIssuerUnknown(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	i, _ := issuerAt(t, s, func(c *Config) { c.RootCA = "" })
	if _, _, err := i.Begin(t.Context(), base(), "/"); !errors.Is(err, ErrAway) {
		t.Errorf("an issuer with the certificate of somebody else: %v", err)
	}
	i, _ = issuerAt(t, s, func(c *Config) { c.RootCA, c.Insecure = "", true })
	if _, _, err := i.Begin(t.Context(), base(), "/"); err != nil {
		t.Errorf("where nobody wants to know: %v", err)
	}
}
