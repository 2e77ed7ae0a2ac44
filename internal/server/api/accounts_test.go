package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// people are accounts in memory, and which of their sessions were ended.
type people struct {
	mu        sync.Mutex
	passwords map[string]string
	ended     map[string]bool
	// away is why no session can be ended.
	away error
}

func newPeople() *people {
	return &people{passwords: map[string]string{"reader": "right", "writer": "right", "other": "right"}, ended: map[string]bool{}}
}

func (p *people) gate() *session.Gate {
	signer, err := token.New([]byte(strings.Repeat("k", 32)), time.Now)
	if err != nil {
		panic(err)
	}
	return &session.Gate{Signer: signer, Accounts: p, Endings: p}
}

func (p *people) Verify(_ context.Context, name, password string) (*auth.User, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.passwords[name] != password {
		return nil, gitops.Problemf(gitops.Refused, "wrong")
	}
	return &auth.User{Name: name}, nil
}

func (p *people) Known(name string) bool                       { return p.passwords[name] != "" }
func (*people) Valid(context.Context, *token.Token) error      { return nil }
func (*people) Check(*token.Token) error                       { return nil }
func (p *people) End(context.Context, *token.Token) error      { return p.away }
func (*people) Since(*auth.User) time.Time                     { return time.Time{} }
func (p *people) EndAll(_ context.Context, u *auth.User) error { p.ended[u.Name] = true; return nil }
func (p *people) All(context.Context) ([]Account, error) {
	return []Account{
		{Name: "other", Enabled: true, Capabilities: []string{"login"}}, {Name: "reader", Enabled: true, Capabilities: []string{"login", "apiKey"}, Password: true},
		{Name: "writer", Capabilities: []string{}},
	}, nil
}

func (p *people) SetPassword(_ context.Context, _ *auth.User, name, password string) (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passwords[name] = password
	return time.Time{}, nil
}

func TestAccountsAreShownToWhoMaySeeThem(t *testing.T) {
	w := newWorld()
	var got []Account
	if err := json.Unmarshal(send(t, w.handler(), "reader", "GET", "/accounts", "").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, a := range got {
		if want := a.Name == "reader"; a.Own != want || len(a.May) == 1 != want {
			t.Errorf("reader is shown %+v", a)
		}
	}
	if len(got) != 3 {
		t.Errorf("reader is shown %d accounts, and may get 3", len(got))
	}
}

// Who sets a password proves who they are, whoever's it is.
func TestPasswordsAreSetByWhoKnowsTheirOwn(t *testing.T) {
	w := newWorld()
	h := w.handler()
	set := func(u *auth.User, of, body string) int {
		t.Helper()
		return sendAs(t, h, u, "PUT", "/accounts/"+of+"/password", body).Code
	}
	reader, writer := &auth.User{Name: "reader", Via: auth.Local}, &auth.User{Name: "writer", Via: auth.Local}
	for _, tc := range []struct {
		reason   string
		by       *auth.User
		of, body string
		want     int
	}{
		{"without it", reader, "reader", `{"password":"a new one"}`, 403},
		{"with a wrong one", reader, "reader", `{"current":"wrong","password":"a new one"}`, 403},
		{"with the other's", writer, "reader", `{"current":"wrong","password":"a new one"}`, 403},
		{"by a program", &auth.User{Name: "writer", Via: auth.Local, Program: true, Key: "ci"}, "reader", `{"current":"right","password":"a new one"}`, 403},
		{"long after signing in with the issuer", &auth.User{Name: "writer", Via: auth.OIDC, Began: time.Now().Add(-time.Hour)}, "reader", `{"password":"a new one"}`, 403},
		{"by the issuer's reader, who is not the account", &auth.User{Name: "reader", Via: auth.OIDC, Began: time.Now()}, "reader", `{"password":"a new one"}`, 403},
	} {
		if got := set(tc.by, tc.of, tc.body); got != tc.want || w.people.passwords["reader"] != "right" {
			t.Errorf("%s: %d, want %d; the password is %q", tc.reason, got, tc.want, w.people.passwords["reader"])
		}
	}
	if got := set(&auth.User{Name: "writer", Via: auth.OIDC, Began: time.Now()}, "reader", `{"password":"of the issuer"}`); got != 200 || w.people.passwords["reader"] != "of the issuer" {
		t.Errorf("just after signing in with the issuer: %d", got)
	}
	answer := sendAs(t, h, &auth.User{Name: "reader", Via: auth.Local, ByCookie: true}, "PUT", "/accounts/reader/password", `{"current":"of the issuer","password":"a new one"}`)
	if answer.Code != http.StatusOK || len(answer.Result().Cookies()) == 0 || !strings.Contains(answer.Body.String(), `"token"`) {
		t.Errorf("one's own: %d with %v", answer.Code, answer.Result().Cookies())
	}
	for _, e := range w.book.all() {
		if strings.Contains(e.Message, "a new one") {
			t.Errorf("the audit has the password: %+v", e)
		}
	}
}

// Who tries passwords at a browser that was left open has to wait.
func TestOwnPasswordIsNotGuessed(t *testing.T) {
	h := newWorld().handler()
	code := 0
	for range 30 {
		if code = send(t, h, "reader", "PUT", "/accounts/reader/password", `{"current":"wrong","password":"a new one"}`).Code; code != http.StatusForbidden {
			break
		}
	}
	if code != http.StatusTooManyRequests {
		t.Errorf("30 guesses are answered with %d", code)
	}
}

func TestSessionsOfAnAccountEnd(t *testing.T) {
	w := newWorld()
	h := w.handler()
	if code := send(t, h, "other", "DELETE", "/accounts/reader/sessions", "").Code; code != http.StatusForbidden || len(w.people.ended) != 0 {
		t.Errorf("by who may not: %d", code)
	}
	send(t, h, "writer", "DELETE", "/accounts/reader/sessions", "")
	send(t, h, "writer", "DELETE", "/session?everywhere=true", "")
	if !w.people.ended["reader"] || !w.people.ended["writer"] || w.people.ended["other"] {
		t.Errorf("what has ended: %v", w.people.ended)
	}
	lines := strings.Join(w.book.lines(), "\n")
	for _, want := range []string{"writer allowed end sessions accounts  reader", "writer allowed sign-out everywhere session"} {
		if !strings.Contains(lines, want) {
			t.Errorf("the audit has no %q:\n%s", want, lines)
		}
	}
}

// Who signs out is told where that did not end what they came with, and so is
// the audit.
func TestSignOutThatEndsNothing(t *testing.T) {
	w := newWorld()
	h := w.handler()
	var in Token
	if err := json.Unmarshal(send(t, h, "", "POST", "/session", `{"username":"reader","password":"right"}`).Body.Bytes(), &in); err != nil {
		t.Fatal(err)
	}
	w.people.away = gitops.Problemf(gitops.Unreachable, "away")
	for _, tc := range []struct {
		reason, bearer string
		by             *auth.User
		query          string
		want           int
		told           []string
	}{
		{"nobody could be told", in.Token, &auth.User{Name: "reader", Via: auth.Local}, "", 502, []string{"allowed sign-in", "allowed sign-out", "failed sign-out"}},
		{"a key goes on", "key", &auth.User{Name: "writer", Via: auth.Local, Program: true}, "", 403, []string{"denied sign-out"}},
		{"nor does it end all", "key", &auth.User{Name: "bot", Via: auth.Local, Program: true}, "?everywhere=true", 403, []string{"denied sign-out everywhere"}},
		{"so does an ID token", "token", &auth.User{Name: "other", Via: auth.OIDC}, "", 403, []string{"denied sign-out"}},
		{"which ends with all", "token", &auth.User{Name: "ann", Via: auth.OIDC}, "?everywhere=true", 204, []string{"allowed sign-out everywhere"}},
	} {
		r := httptest.NewRequestWithContext(auth.With(t.Context(), tc.by), http.MethodDelete, Prefix+"/session"+tc.query, nil)
		r.Header.Set("Authorization", "Bearer "+tc.bearer)
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		var lines []string
		for _, e := range w.book.all() {
			if e.Who.Name == tc.by.Name {
				lines = append(lines, string(e.Outcome)+" "+e.Verb)
			}
		}
		if got.Code != tc.want || !slices.Equal(lines, tc.told) {
			t.Errorf("%s: %d, want %d, with the audit %q, want %q", tc.reason, got.Code, tc.want, lines, tc.told)
		}
	}
}
