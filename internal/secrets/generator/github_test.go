package generator

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/providertest"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// github speaks the part of GitHub's API that makes tokens of installations.
type github struct {
	*httptest.Server

	key     *rsa.PrivateKey
	asked   []string
	instead func(w http.ResponseWriter, r *http.Request) bool
}

func newGitHub(t *testing.T) *github {
	t.Helper()
	g := &github{}
	var err error
	if g.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.Close)
	return g
}

func (g *github) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.asked = append(g.asked, r.Method+" "+r.URL.Path+" "+string(body))
	proof := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(proof, &claims, func(*jwt.Token) (any, error) { return &g.key.PublicKey, nil }, jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	w.Header().Set("Content-Type", "application/json")
	switch {
	case g.instead != nil && g.instead(w, r):
	case err != nil || claims.Issuer != "12" || time.Until(claims.ExpiresAt.Time) > 10*time.Minute || r.Header.Get("Accept") != "application/vnd.github+json":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"message":"A JSON web token could not be decoded: %s"}`, proof)
	case !strings.HasSuffix(r.URL.Path, "/app/installations/34/access_tokens"):
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"message":"Not Found"}`))
	default:
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"token":"ghs_made","expires_at":"2026-11-30T12:00:00Z","permissions":{"contents":"read"}}`))
	}
}

func (g *github) around() store.Cluster {
	return providertest.Cluster(providertest.Objects{"app": {
		"key": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(g.key)})), "text": "planted-text",
	}}, true)
}

func (g *github) spec(more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"appID":"12","installID":"34","url":%q,"auth":{"privateKey":{"secretRef":{"name":"app","key":"key"}}}%s}`, g.URL, more))
}

func TestGitHub(t *testing.T) {
	g := newGitHub(t)
	for name, tc := range map[string]struct {
		reason, more, asked, err string
	}{
		"token":        {"a token of an installation", ``, `POST /api/v3/app/installations/34/access_tokens {}`, ""},
		"narrow":       {"of some repositories and permissions", `,"repositories":["shop"],"permissions":{"contents":"read"}`, `POST /api/v3/app/installations/34/access_tokens {"repositories":["shop"],"permissions":{"contents":"read"}}`, ""},
		"installation": {"one that there is not", `,"installID":"35"`, `POST /api/v3/app/installations/35/access_tokens {}`, "installation 35 of GitHub App 12: GitHub answers 404 Not Found: Not Found"},
		"app":          {"another App", `,"appID":"13"`, `POST /api/v3/app/installations/34/access_tokens {}`, "401 Unauthorized: A JSON web token could not be decoded: [masked]"},
		"no app":       {"an App has to be named", `,"appID":""`, ``, "set appID"},
		"odd":          {"an installation leads nowhere else", `,"installID":"../x"`, ``, "set installID"},
		"no key":       {"a text that is no key", `,"auth":{"privateKey":{"secretRef":{"name":"app","key":"text"}}}`, ``, "no RSA private key in PEM"},
		"absent":       {"a key that is not there", `,"auth":{"privateKey":{"secretRef":{"name":"app","key":"nope"}}}`, ``, `spec.auth.privateKey.secretRef: Secret ns/app has no key "nope"`},
		"url":          {"an address that is none", `,"url":"file:///etc"`, ``, "url is no address"},
		"form":         {"a spec of another form", `,"repositories":"hunter22"`, ``, "spec: json"},
	} {
		t.Run(name, func(t *testing.T) {
			g.asked = nil
			got, err := GitHub(t.Context(), g.spec(tc.more), store.NewShelf(g.around(), nil).Around("ns"))
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "hunter22")) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if err == nil {
				if diff := cmp.Diff(map[string][]byte{"token": []byte("ghs_made")}, got); diff != "" {
					t.Errorf("%s: %s", tc.reason, diff)
				}
			}
			if asked := strings.Join(g.asked, "; "); asked != tc.asked {
				t.Errorf("%s: asked %s, want %s", tc.reason, asked, tc.asked)
			}
		})
	}
}

// TestGitHubFaults: no token comes of what is none, and no error has a part of one.
func TestGitHubFaults(t *testing.T) {
	g := newGitHub(t)
	for name, tc := range map[string]struct {
		reason string
		answer func(w http.ResponseWriter)
		want   string
	}{
		"half": {"an answer that ends early", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte(`{"token":"ghs_hunter22`))
		}, "no token"},
		"empty": {"an answer without a token", func(w http.ResponseWriter) { w.WriteHeader(http.StatusCreated); _, _ = w.Write([]byte(`{}`)) }, "no token"},
		"page": {"a page", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`<html>hunter22`))
		}, "the server answers 403 Forbidden"},
		"redirect": {"another server", func(w http.ResponseWriter) { w.Header().Set("Location", "/hunter22"); w.WriteHeader(http.StatusFound) }, "302 Found"},
	} {
		g.instead = func(w http.ResponseWriter, _ *http.Request) bool {
			tc.answer(w)
			return true
		}
		_, err := GitHub(t.Context(), g.spec(""), store.NewShelf(g.around(), nil).Around("ns"))
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
	first := true
	g.instead = func(w http.ResponseWriter, _ *http.Request) bool {
		defer func() { first = false }()
		if first {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return first
	}
	if _, err := GitHub(t.Context(), g.spec(""), store.NewShelf(g.around(), nil).Around("ns")); err != nil {
		t.Errorf("throttled once: %v", err)
	}
	closed := g.around()
	closed.Dial = egress.DialRemote
	if _, err := GitHub(t.Context(), g.spec(""), store.NewShelf(closed, nil).Around("ns")); err == nil || !strings.Contains(err.Error(), "is a local address") {
		t.Errorf("where nobody may ask: %v", err)
	}
}

func TestGitHubsAPI(t *testing.T) {
	for address, want := range map[string]string{
		"": "https://api.github.com", "https://github.com/": "https://api.github.com", "https://api.github.com": "https://api.github.com",
		"https://git.example.com": "https://git.example.com/api/v3", "https://git.example.com/api/v3/": "https://git.example.com/api/v3",
		"https://shop.ghe.com": "https://api.shop.ghe.com", "https://api.shop.ghe.com": "https://api.shop.ghe.com",
	} {
		got, err := githubSpec{URL: address, AppID: "1", InstallID: "2"}.address()
		if err != nil || got != want+"/app/installations/2/access_tokens" {
			t.Errorf("%s: got %s (%v)", address, got, err)
		}
	}
}
