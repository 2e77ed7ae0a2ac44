package oidc

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/auth/oidc/oidctest"
)

// An issuer that has no room for groups in its tokens is asked for them apart: what
// it says there counts where it is about the same person.
func TestGroupsOfUserInfo(t *testing.T) {
	s := oidctest.New(t, people, home+CallbackPath)
	own := []any{"payments", "web"}
	for name, tc := range map[string]struct {
		reason, body string
		status       int
		want         any
		err          error
	}{
		"Groups":  {"they are taken in the place of the token's", `{"sub":"1","groups":["a","b"],"email":"root@example.com"}`, 200, []any{"a", "b"}, nil},
		"None":    {"also where somebody is in none", `{"sub":"1","groups":[]}`, 200, []any{}, nil},
		"Silent":  {"what it does not say stays", `{"sub":"1"}`, 200, own, nil},
		"Null":    {"nothing says nothing", `{"sub":"1","groups":null}`, 200, own, nil},
		"Other":   {"those of somebody else are not taken", `{"sub":"2","groups":["admins"]}`, 200, nil, ErrRefused},
		"Nobody":  {"nor those of nobody", `{"groups":["admins"]}`, 200, nil, ErrRefused},
		"Refused": {"who signs in waits for an issuer that does not answer so", `{}`, 403, nil, ErrAway},
		"Page":    {"or with a page", `<html>`, 200, nil, ErrAway},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan *http.Request, 1)
			info := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked <- r
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			}))
			t.Cleanup(info.Close)
			i, _ := issuerAt(t, s, func(c *Config) { c.UserInfo, c.UserInfoURL = true, info.URL+"/about" })
			claims, err := signIn(t, s, i, "1", nil, nil)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, claims["groups"]); tc.err == nil && (diff != "" || claims.Email() != "ann@example.com") {
				t.Errorf("%s: %s (-want +got):\n%s", tc.reason, claims.Email(), diff)
			}
			select {
			case r := <-asked:
				if r.URL.Path != "/about" || r.Header.Get("Authorization") == "" {
					t.Errorf("asked at %s, with %q", r.URL.Path, r.Header.Get("Authorization"))
				}
			default:
				t.Error("nobody was asked")
			}
		})
	}
}

// Where it is asked is written as an address, as a path of the issuer, or left to it.
func TestWhereUserInfoIs(t *testing.T) {
	for reason, tc := range map[string]struct{ issuer, address, path, want string }{
		"an address":                        {"https://id/realm", "https://graph/me", "", "https://graph/me"},
		"which comes before a path":         {"https://id/realm", "https://graph/me", "/me", "https://graph/me"},
		"a path is below the issuer":        {"https://id/realm", "", "/me", "https://id/realm/me"},
		"with one slash in between":         {"https://id/realm/", "", "/me", "https://id/realm/me"},
		"also where none is written":        {"https://id/realm", "", "me", "https://id/realm/me"},
		"what is left out the issuer tells": {"https://id/realm", "", "", ""},
	} {
		i := &Issuer{Config: &Config{Issuer: tc.issuer, UserInfoURL: tc.address, UserInfoPath: tc.path}}
		if got := i.userInfo(); got != tc.want {
			t.Errorf("%s: %s", reason, got)
		}
	}
}

// What a browser brings is looked at before the issuer is asked: of what is wrong
// there it hears nothing.
func TestAnswersThatAskNobody(t *testing.T) {
	i := New(&Config{Issuer: "https://issuer.invalid"}, (&clock{}).now)
	for reason, answer := range map[string]url.Values{
		"without a code":                   {},
		"with one that is far too long":    {"code": {string(make([]byte, maxCode+1))}},
		"of another issuer":                {"code": {"c"}, "iss": {"https://other.invalid"}},
		"of one that does not say which":   {"code": {"c"}, "iss": {""}},
		"that says why, with a code or so": {"code": {"c"}, "error": {"access_denied"}},
	} {
		if claims, id, err := i.Finish(t.Context(), &Attempt{}, answer); !errors.Is(err, ErrRefused) || claims != nil || id != "" {
			t.Errorf("an answer %s: %v", reason, err)
		}
	}
}
