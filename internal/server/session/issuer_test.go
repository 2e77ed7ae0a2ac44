package session

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
)

// A session goes on as long as the issuer by which it began is one here.
func TestSessionsOfFormerIssuersEnd(t *testing.T) {
	at := func(address string) Issuers { return issuing{&oidc.Issuer{Config: &oidc.Config{Issuer: address}}} }
	cases := map[string]struct {
		reason, issuer string
		now            Issuers
		who            string
		unsure         bool
	}{
		"same":       {"the issuer is as it was", "https://id.example.com", at("https://id.example.com"), "ann", false},
		"another":    {"it has made room for another one", "https://id.example.com", at("https://other.example.com"), "", false},
		"removed":    {"there is none any more", "https://id.example.com", issuing{}, "", false},
		"none":       {"none are asked", "https://id.example.com", nil, "", false},
		"unread":     {"what there is cannot be read, or is wrong, which ends nothing", "https://id.example.com", wrong{}, "ann", false},
		"Google":     {"some tokens of Google name it without a scheme", "accounts.google.com", at("https://accounts.google.com"), "ann", false},
		"other name": {"an address is all of it", "id.example.com", at("http://id.example.com"), "", false},
		"old":        {"a session from before that was kept ends by itself", "", issuing{}, "ann", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g, _ := newGate(t)
			g.Kubernetes, g.Issuers = nil, c.now
			text, err := g.begin(&auth.User{Name: "ann", Via: auth.OIDC, Issuer: c.issuer, Sub: "1", Claims: map[string]any{"sub": "1"}}, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			u, err := g.ofSession(t.Context(), text)
			if (u != nil) != (c.who != "") || u != nil && u.Name != c.who || Unsure(err) != c.unsure {
				t.Errorf("%s: it is of %+v, %v", c.reason, u, err)
			}
			if who, code := through(t, g, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }); (who == "ann") != (c.who != "") || (code == http.StatusOK) != (c.who != "") {
				t.Errorf("%s: as a token it is of %s, %d", c.reason, who, code)
			}
			if errors.Is(err, errNoIssuer) != (c.who == "" && !c.unsure) {
				t.Errorf("%s: it is refused by %v", c.reason, err)
			}
		})
	}
}
