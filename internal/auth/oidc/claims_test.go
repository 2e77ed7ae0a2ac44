package oidc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An address of mail that the issuer has not verified is a word of whoever typed
// it in: it names nobody, and gives no rights.
func TestWhatClaimsSayOfSomebody(t *testing.T) {
	for name, tc := range map[string]struct {
		reason      string
		claims      Claims
		name, email string
		believed    any // the address that policies see
	}{
		"Verified":   {"a verified address is who somebody is", Claims{"sub": "1", "preferred_username": "ann", "email": "ann@example.com", "email_verified": true}, "ann@example.com", "ann@example.com", "ann@example.com"},
		"Unverified": {"one that is not is nobody's", Claims{"sub": "1", "preferred_username": "ann", "email": "root@example.com", "email_verified": false}, "ann", "", nil},
		"Silent":     {"an issuer that does not say is believed by policies alone", Claims{"sub": "1", "preferred_username": "ann", "email": "ann@example.com"}, "ann", "", "ann@example.com"},
		"Text":       {"some write it as a text", Claims{"sub": "1", "email": "ann@example.com", "email_verified": "true"}, "1", "", "ann@example.com"},
		"No":         {"which has to be that text", Claims{"sub": "1", "email": "root@example.com", "email_verified": "false"}, "1", "", nil},
		"Null":       {"nothing is no word for it", Claims{"sub": "1", "email": "root@example.com", "email_verified": nil}, "1", "", nil},
		"Number":     {"nor is a number", Claims{"sub": "1", "email": "root@example.com", "email_verified": 1.0}, "1", "", nil},
		"Empty":      {"an empty name is none", Claims{"sub": "1", "preferred_username": ""}, "1", "", nil},
		"Types":      {"nor is what is no text", Claims{"sub": "1", "preferred_username": []any{"ann"}, "email": 7.0, "email_verified": true}, "1", "", 7.0},
		"Nobody":     {"who has no name has none", Claims{}, "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(tc.claims)
			if tc.claims.Name() != tc.name || tc.claims.Email() != tc.email {
				t.Errorf("%s: named %q with the address %q", tc.reason, tc.claims.Name(), tc.claims.Email())
			}
			if got := tc.claims.Believed()["email"]; got != tc.believed {
				t.Errorf("%s: policies see %v", tc.reason, got)
			}
			if len(tc.claims) != before {
				t.Errorf("%s: the claims themselves were changed", tc.reason)
			}
		})
	}
}

// A session carries texts: what is no text takes room, and no policy can name it.
func TestWhatIsKeptOfClaims(t *testing.T) {
	claims := Claims{"groups": []any{"a", 7.0, nil, "b"}, "none": []any{}, "role": "admin", "level": 7.0, "admin": true, "address": map[string]any{"a": "b"}, "other": "x"}
	got := claims.Keep([]string{"role", "groups", "none", "level", "admin", "address", "gone", "role"})
	if diff := cmp.Diff(map[string]any{"groups": []any{"a", "b"}, "none": []any{}, "role": "admin"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Google's tokens leave the scheme out; nobody else's issuer is another by that.
func TestWhoIsTheIssuer(t *testing.T) {
	i := &Issuer{Config: &Config{Issuer: "https://accounts.google.com"}}
	for iss, want := range map[string]bool{
		"https://accounts.google.com": true, "accounts.google.com": true, "http://accounts.google.com": false,
		"https://accounts.google.com/": false, "": false, "https://": false, "accounts.google.com.evil.org": false,
	} {
		if i.Is(iss) != want {
			t.Errorf("%q is the issuer: %t", iss, !want)
		}
	}
}

// Who a token is from is read before anything is checked, of whatever is brought.
func TestWhomATokenNames(t *testing.T) {
	for name, tc := range map[string]struct{ reason, token, want string }{
		"Issuer": {"what it says", "e30.eyJpc3MiOiJodHRwczovL2lkIn0.x", "https://id"},
		"Parts":  {"what has other parts is no token", "e30.eyJpc3MiOiJodHRwczovL2lkIn0", ""},
		"More":   {"an encrypted one has five", "a.eyJpc3MiOiJodHRwczovL2lkIn0.c.d.e", ""},
		"Base64": {"nor what is no Base64", "e30.{}.x", ""},
		"JSON":   {"nor what is no JSON", "e30.eA.x", ""},
		"Number": {"a number names nobody", "e30.eyJpc3MiOjd9.x", ""},
		"Silent": {"nor does who says nothing", "e30.e30.x", ""},
	} {
		if got := issuerOf(tc.token); got != tc.want {
			t.Errorf("%s: %s: got %q", name, tc.reason, got)
		}
	}
}
