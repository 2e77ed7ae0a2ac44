package session

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/oidc/oidctest"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ledger has what was ended, in memory.
type ledger struct {
	one  map[string]bool
	all  map[string]time.Time
	away error
	ends int
}

func newLedger() *ledger { return &ledger{one: map[string]bool{}, all: map[string]time.Time{}} }

func (l *ledger) Check(t *token.Token) error {
	if l.one[t.ID] || t.IssuedAt.Before(l.all[t.User.Person()]) {
		return ErrEnded
	}
	return l.away
}

func (l *ledger) End(_ context.Context, t *token.Token) error {
	l.ends++
	l.one[t.ID] = true
	return l.away
}

func (l *ledger) EndAll(_ context.Context, u *auth.User) error {
	l.all[u.Person()] = time.Now().Truncate(time.Second).Add(time.Second)
	return nil
}

func (l *ledger) Since(u *auth.User) time.Time { return l.all[u.Person()] }

// known tells who comes in with a token; empty for nobody.
func known(t *testing.T, g *Gate, text string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+text)
	u, err := g.Identify(r)
	if err != nil {
		return ""
	}
	return u.Name
}

func TestSignOut(t *testing.T) {
	g, _ := newGate(t)
	l := newLedger()
	g.Endings = l
	text, other := signIn(t, g), signIn(t, g)
	for range 2 { // the second time there is nothing left to end
		r := httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "/", nil)
		r.AddCookie(&http.Cookie{Name: cookieName, Value: text})
		w := httptest.NewRecorder()
		if _, err := NewDoor(g).SignOut(w, r); err != nil || len(w.Result().Cookies()) == 0 {
			t.Errorf("%v with the cookies %v", err, w.Result().Cookies())
		}
	}
	if known(t, g, text) != "" || known(t, g, other) != "ann" || l.ends != 1 {
		t.Errorf("the session goes on, or another one has ended, or it was ended %d times", l.ends)
	}
}

// A browser has no session any more where nobody could be told that it ended.
func TestSignOutThatIsNotKept(t *testing.T) {
	g, _ := newGate(t)
	g.Endings = &ledger{one: map[string]bool{}, away: gitops.Problemf(gitops.Unreachable, "away")}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "/", nil)
	r.AddCookie(&http.Cookie{Name: cookieName, Value: signIn(t, g)})
	w := httptest.NewRecorder()
	if _, err := NewDoor(g).SignOut(w, r); err == nil || len(w.Result().Cookies()) == 0 || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("%v with the cookies %v", err, w.Result().Cookies())
	}
}

// All that somebody began until now ends; what they begin in the same second
// goes on, and so does what is others'.
func TestEndAll(t *testing.T) {
	g, _ := newGate(t)
	g.Endings = newLedger()
	d := NewDoor(g)
	ann := &auth.User{Name: "ann", Via: auth.Local}
	before := signIn(t, g)
	bob, err := g.begin(&auth.User{Name: "bob", Via: auth.Local}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.EndAll(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	if after := signIn(t, g); known(t, g, before) != "" || known(t, g, after) != "ann" || known(t, g, bob) != "bob" {
		t.Errorf("before %q, after %q, another's %q", known(t, g, before), known(t, g, after), known(t, g, bob))
	}
	for _, u := range []*auth.User{{Name: "ann", Via: auth.Local, Program: true}, {Name: "ann", Via: auth.Kubernetes}, {Name: "proj:a:b", Via: auth.Project}} {
		var p *gitops.Problem
		if err := d.EndAll(t.Context(), u); !errors.As(err, &p) || p.Kind != gitops.Forbidden {
			t.Errorf("%+v has sessions that end: %v", u, err)
		}
	}
}

// People are told apart by more than their names.
func TestPersons(t *testing.T) {
	all := map[string]bool{}
	for _, u := range []*auth.User{
		{Name: "ann", Via: auth.Local},
		{Name: "ann", Via: auth.OIDC, Claims: map[string]any{"sub": "1"}},
		{Name: "ann", Via: auth.OIDC, Claims: map[string]any{"sub": "2"}},
		{Name: "ann", Via: auth.Kubernetes},
		nil,
	} {
		all[u.Person()] = true
	}
	if len(all) != 5 {
		t.Errorf("they are %d persons", len(all))
	}
}

// A session that began when they lasted longer lasts no longer than one of now.
func TestLifeIsOfNow(t *testing.T) {
	g, _ := newGate(t)
	life := time.Hour
	g.Life = func() time.Duration { return life }
	text := signIn(t, g)
	if known(t, g, text) != "ann" {
		t.Fatal("it does not count")
	}
	life = -time.Second // began longer ago than that
	if known(t, g, text) != "" {
		t.Error("it lasts as long as it did when it began")
	}
	w := httptest.NewRecorder()
	life = 2 * time.Hour
	if err := NewDoor(g).Keep(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), text); err != nil || w.Result().Cookies()[0].MaxAge != 7200 {
		t.Errorf("%v: %v", err, w.Result().Cookies())
	}
}

// issuing is an issuer, whose tokens are all of one person.
type issuing struct{ issuer *oidc.Issuer }

func (i issuing) Current(context.Context) (*oidc.Issuer, error) { return i.issuer, nil }
func (issuing) User(oidc.Claims) *auth.User                     { return &auth.User{Name: "ci", Via: auth.OIDC} }

// trusting knows all tokens, as an API server does that trusts the same issuer.
type trusting struct{}

func (trusting) Review(context.Context, string) (*auth.User, error) {
	return &auth.User{Name: "oidc:ci", Via: auth.Kubernetes}, nil
}

// anIssuer is one that knows ci.
func anIssuer(t *testing.T) (*oidctest.Server, *oidc.Issuer) {
	t.Helper()
	s := oidctest.New(t, []oidctest.User{{Subject: "ci"}}, "https://causeway.example.com"+oidc.CallbackPath)
	settings, err := json.Marshal(map[string]string{"name": "Issuer", "issuer": s.URL, "clientID": oidctest.ClientID, "clientSecret": oidctest.ClientSecret, "rootCA": s.CA()})
	if err != nil {
		t.Fatal(err)
	}
	config, err := oidc.Parse(map[string]string{"url": "https://causeway.example.com", "oidc.config": string(settings)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	issuer := oidc.New(config, time.Now)
	t.Cleanup(issuer.Close)
	return s, issuer
}

// Who comes by an ID token is seen as it says, as of when it was made; one that
// does not count says nothing.
func TestTokenOfIssuerIsSeen(t *testing.T) {
	g, _ := newGate(t)
	s, issuer := anIssuer(t)
	h, l := &hook{}, newLedger()
	g.Endings, g.Issuers, g.Keys = l, issuing{issuer}, h
	claims := s.Claims("ci", oidctest.ClientID)
	made := time.Now().Add(-time.Minute).Truncate(time.Second)
	claims["iat"] = made.Unix()
	text := s.Sign(t, claims)
	if got := known(t, g, text); got != "ci" || !slices.Equal(h.seen, []string{"ci"}) || !h.at.Equal(made) {
		t.Errorf("it is of %q, and %v are seen as of %s, want %s", got, h.seen, h.at, made)
	}
	l.all[(&auth.User{Name: "ci", Via: auth.OIDC}).Person()] = time.Now().Add(time.Hour)
	if got := known(t, g, text); got != "" || len(h.seen) != 1 {
		t.Errorf("after it has ended it is of %q, and %v are seen", got, h.seen)
	}
}

// An ID token that was ended, or of which nobody knows, is nobody's for anybody else.
func TestEndedTokenOfIssuer(t *testing.T) {
	g, _ := newGate(t)
	s, issuer := anIssuer(t)
	l := newLedger()
	g.Endings, g.Issuers, g.Kubernetes = l, issuing{issuer}, trusting{}
	text := s.Sign(t, s.Claims("ci", oidctest.ClientID))
	if got := known(t, g, text); got != "ci" {
		t.Fatalf("it is of %q", got)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+text)
	l.away = gitops.Problemf(gitops.Unreachable, "not read yet")
	if u, err := g.Identify(r); u != nil || !errors.Is(err, l.away) {
		t.Errorf("while nobody knows: %+v, %v", u, err)
	}
	l.away = nil
	l.all[(&auth.User{Name: "ci", Via: auth.OIDC}).Person()] = time.Now().Add(time.Hour)
	if u, err := g.Identify(r); u != nil || !errors.Is(err, ErrEnded) {
		t.Errorf("after it has ended: %+v, %v", u, err)
	}
}
