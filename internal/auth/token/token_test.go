package token

import (
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/auth"
)

var key = []byte(strings.Repeat("k", minKey))

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func newSigner(t *testing.T) (*Signer, *clock) {
	t.Helper()
	c := &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	s, err := New(key, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestSignedIsRead(t *testing.T) {
	s, c := newSigner(t)
	text, err := s.Sign(&auth.User{
		Name: "ann@example.com", Groups: []string{"ops"}, Email: "ann@example.com", Via: auth.OIDC,
		Claims: map[string]any{"sub": "1", "groups": []any{"ops"}}, Issuer: "https://dex.example.com", Sub: "CgExEgZnaXRodWI",
	}, c.now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	want := &auth.User{Name: "ann@example.com", Groups: []string{"ops"}, Email: "ann@example.com", Via: auth.OIDC, Session: got.ID, Began: got.IssuedAt}
	want.Issuer, want.Sub = "https://dex.example.com", "CgExEgZnaXRodWI"
	want.Claims = map[string]any{"sub": "1", "groups": []any{"ops"}}
	if d := cmp.Diff(want, got.User); d != "" || got.APIKey {
		t.Errorf("(-want +got):\n%s", d)
	}
	c.now = c.now.Add(time.Hour + leeway + time.Second)
	if _, err := s.Read(text); err == nil {
		t.Error("a token that has ended is read")
	}
}

// The subject of another issuer is that issuer's to choose. It makes nobody an
// account of the installation: not here, and not with Argo CD, which may have
// the same key and takes what it has issued itself.
func TestForeignSubjects(t *testing.T) {
	s, _ := newSigner(t)
	for _, subject := range []string{"admin", "admin:login", "admin:apiKey", "proj:default:admin"} {
		text, err := s.Sign(&auth.User{Name: "eve", Via: auth.OIDC, Claims: map[string]any{"sub": subject}}, s.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Read(text)
		if err != nil || got.User.Via != auth.OIDC || got.User.Name != "eve" || got.APIKey || got.Project != "" {
			t.Errorf("%s is %+v, %v", subject, got, err)
		}
		var c jwt.RegisteredClaims
		if _, _, err := jwt.NewParser().ParseUnverified(text, &c); err != nil || c.Issuer == issuer {
			t.Errorf("%s: the issuer is %q, %v", subject, c.Issuer, err)
		}
	}
}

// Another key ends what was signed with the one before; one that is too short
// ends nothing.
func TestAnotherKey(t *testing.T) {
	s, _ := newSigner(t)
	text := signed(t, s, s.Now())
	if err := s.Rekey([]byte("short")); err == nil {
		t.Error("a short key is taken")
	}
	if _, err := s.Read(text); err != nil {
		t.Errorf("after a key that is none: %v", err)
	}
	if err := s.Rekey([]byte(strings.Repeat("n", minKey))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(text); err == nil {
		t.Error("a token of the key before is read")
	}
	if _, err := s.Read(signed(t, s, s.Now())); err != nil {
		t.Errorf("one of the new key: %v", err)
	}
}

// A token begins when it is said to, and lasts from then on.
func TestBeginning(t *testing.T) {
	s, c := newSigner(t)
	for _, began := range []time.Time{c.now, c.now.Add(-time.Minute), c.now.Add(time.Second)} {
		got, err := s.Read(signed(t, s, began))
		if err != nil || !got.IssuedAt.Equal(began) || !got.Expires.Equal(began.Add(time.Hour)) {
			t.Errorf("of %s: from %s to %s, %v", began, got.IssuedAt, got.Expires, err)
		}
	}
}

func signed(t *testing.T, s *Signer, began time.Time) string {
	t.Helper()
	text, err := s.Sign(&auth.User{Name: "admin", Via: auth.Local}, began, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Tokens that others gave out, and such that somebody made up.
func TestRead(t *testing.T) {
	sign := func(m jwt.SigningMethod, key any, c jwt.MapClaims) string {
		text, err := jwt.NewWithClaims(m, c).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	hs := func(c jwt.MapClaims) string { return sign(jwt.SigningMethodHS256, key, c) }
	cases := map[string]struct {
		reason, text, name, project, role string
		via                               auth.Via
		apiKey, ok                        bool
	}{
		"API key":      {"an account's key has its kind in the subject", hs(jwt.MapClaims{"iss": "argocd", "sub": "ci:apiKey", "jti": "1"}), "ci", "", "", auth.Local, true, true},
		"Login":        {"so has its session", hs(jwt.MapClaims{"iss": "argocd", "sub": "ci:login"}), "ci", "", "", auth.Local, false, true},
		"Old key":      {"a name alone is a key's, which has to be listed", hs(jwt.MapClaims{"iss": "argocd", "sub": "ci", "jti": "1"}), "ci", "", "", auth.Local, true, true},
		"Project":      {"a role's token names its project", hs(jwt.MapClaims{"iss": "argocd", "sub": "proj:shop:deploy"}), "proj:shop:deploy", "shop", "deploy", auth.Project, true, true},
		"Issuer":       {"others' tokens are not taken", hs(jwt.MapClaims{"iss": "https://example.com", "sub": "admin"}), "", "", "", "", false, false},
		"Nobody":       {"a token without a subject is nobody's", hs(jwt.MapClaims{"iss": "argocd"}), "", "", "", "", false, false},
		"Not yet":      {"nor one that is not valid yet", hs(jwt.MapClaims{"iss": "argocd", "sub": "admin", "nbf": 4e9}), "", "", "", "", false, false},
		"Other key":    {"the signature counts", sign(jwt.SigningMethodHS256, []byte(strings.Repeat("x", minKey)), jwt.MapClaims{"iss": "argocd", "sub": "admin"}), "", "", "", "", false, false},
		"Unsigned":     {"a token may not choose to need none", sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"iss": "argocd", "sub": "admin"}), "", "", "", "", false, false},
		"Other method": {"nor another method", sign(jwt.SigningMethodHS512, key, jwt.MapClaims{"iss": "argocd", "sub": "admin"}), "", "", "", "", false, false},
		"Long":         {"what is too long is not read", strings.Repeat("a", maxToken+1), "", "", "", "", false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, _ := newSigner(t)
			got, err := s.Read(tc.text)
			if (err == nil) != tc.ok {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if err != nil {
				return
			}
			if got.User.Name != tc.name || got.User.Via != tc.via || got.APIKey != tc.apiKey || got.Project != tc.project || got.Role != tc.role {
				t.Errorf("%s: got %+v of %+v", tc.reason, got, got.User)
			}
		})
	}
}

func TestKeyIsLongEnough(t *testing.T) {
	if _, err := New([]byte("short"), time.Now); err == nil {
		t.Error("a short key is taken")
	}
}

func FuzzRead(f *testing.F) {
	s, err := New(key, time.Now)
	if err != nil {
		f.Fatal(err)
	}
	text, err := s.Sign(&auth.User{Name: "admin"}, time.Now(), time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := s.Read(text); err == nil && got.User.Name == "" {
			t.Error("nobody's token is read")
		}
	})
}
