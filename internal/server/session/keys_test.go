package session

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// hook has one key.
type hook struct {
	key  *key.Key
	text string
	seen []string
	at   time.Time
}

func (h *hook) Find(_ context.Context, text string) (*key.Key, error) {
	if text != h.text {
		return nil, ErrUnknown
	}
	return h.key, nil
}

func (h *hook) Seen(u *auth.User, at time.Time) {
	h.seen, h.at = append(h.seen, u.Name), at
}

func TestOwnersOfKeysAreStillThere(t *testing.T) {
	cases := map[string]struct {
		reason string
		via    auth.Via
		adjust func(*Gate, *house)
		who    string
	}{
		"account":       {"an account", auth.Local, func(*Gate, *house) {}, "ann"},
		"account gone":  {"that is gone", auth.Local, func(_ *Gate, h *house) { h.gone = true }, "nobody"},
		"kubernetes":    {"somebody whom Kubernetes knows", auth.Kubernetes, func(*Gate, *house) {}, "ann"},
		"no kubernetes": {"whose tokens are no longer taken", auth.Kubernetes, func(g *Gate, _ *house) { g.Kubernetes = nil }, "nobody"},
		"no issuer":     {"somebody whose issuer is gone", auth.OIDC, func(*Gate, *house) {}, "nobody"},
		"role":          {"a role of a project owns none", auth.Project, func(*Gate, *house) {}, "nobody"},
		"no keys":       {"where none are kept", auth.Local, func(g *Gate, _ *house) { g.Keys = nil }, "nobody"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, house := newGate(t)
			h := &hook{}
			h.key, h.text = key.New("ci", key.OwnerOf(&auth.User{Name: "ann", Via: tc.via}, "", time.Now()), key.Scope{ReadOnly: true}, time.Now(), time.Hour)
			g.Keys = h
			tc.adjust(g, house)
			who, code := through(t, g, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+h.text) })
			if who != tc.who || (code == http.StatusOK) != (tc.who == "ann") {
				t.Errorf("%s: %s, %d", tc.reason, who, code)
			}
			if len(h.seen) > 0 {
				t.Errorf("a key tells how its owner is known: %v", h.seen)
			}
		})
	}
}

// That an issuer is none any more, and that nobody can tell, are two answers: the
// second one refuses no key, and who sent it tries again.
func TestKeysWhoseIssuerIsNotKnown(t *testing.T) {
	const issuer = "https://id.example.com"
	cases := map[string]struct {
		reason string
		now    Issuers
		want   string
	}{
		"same":    {"the issuer is as it was", issuing{&oidc.Issuer{Config: &oidc.Config{Issuer: issuer}}}, "counts"},
		"another": {"it has made room for another one", issuing{&oidc.Issuer{Config: &oidc.Config{Issuer: "https://other.example.com"}}}, "refused"},
		"removed": {"there is none any more", issuing{}, "refused"},
		"unread":  {"what there is cannot be read, or is wrong", wrong{}, "unsure"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, _ := newGate(t)
			h := &hook{}
			h.key, h.text = key.New("ci", key.OwnerOf(&auth.User{Name: "ann", Via: auth.OIDC}, issuer, time.Now()), key.Scope{ReadOnly: true}, time.Now(), time.Hour)
			g.Keys, g.Issuers = h, tc.now
			_, err := g.ofKey(t.Context(), h.text)
			got := "counts"
			var p *gitops.Problem
			switch {
			case Unsure(err):
				got = "unsure"
			case errors.As(err, &p) && p.Kind == gitops.Refused:
				got = "refused"
			}
			if got != tc.want {
				t.Errorf("%s: the key is %s, %v; want %s", tc.reason, got, err, tc.want)
			}
		})
	}
}
