package githubapp

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

func TestToken(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := access.Secret(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	now, made := time.Now(), 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), ".")
		if r.URL.Path != "/app/installations/7/access_tokens" || len(parts) != 3 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
		sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
		if rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], signature) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		made++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"token":"t%d","expires_at":%q}`, made, now.Add(time.Hour).Format(time.RFC3339))
	}))
	defer server.Close()
	tokens := func(app access.App) *Tokens {
		app.BaseURL = server.URL
		got, err := New(access.Credential{App: &app}, time.Minute, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	good := tokens(access.App{ID: 1, Installation: 7, PrivateKey: private})
	for _, step := range []struct {
		after time.Duration
		want  access.Secret
	}{{0, "t1"}, {50 * time.Minute, "t1"}, {6 * time.Minute, "t2"}} {
		now = now.Add(step.after)
		if got, err := good.Token(t.Context()); err != nil || got != step.want {
			t.Errorf("after %s: %q, %v; want %q", step.after, got.Reveal(), err, step.want.Reveal())
		}
	}
	for name, app := range map[string]access.App{
		"no installation": {ID: 1, PrivateKey: private},
		"another one":     {ID: 1, Installation: 8, PrivateKey: private},
		"no key":          {ID: 1, Installation: 7, PrivateKey: "nonsense"},
	} {
		_, err := tokens(app).Token(t.Context())
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != gitops.Refused || p.Fix == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRedirect: what proves to be the App goes to the host that is configured alone,
// not to another port of it.
func TestRedirect(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s got %v", r.Host, r.Header) }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	private := access.Secret(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	tokens, err := New(access.Credential{App: &access.App{ID: 1, Installation: 7, PrivateKey: private, BaseURL: server.URL}}, time.Minute, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tokens.Token(t.Context())
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Refused || !strings.Contains(p.Fix, "githubAppEnterpriseBaseUrl") {
		t.Errorf("a redirect: %v", err)
	}
}
