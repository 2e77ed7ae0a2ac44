package oci

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

func TestBelieves(t *testing.T) {
	cases := map[string]struct {
		reason, registry, named, at string
		want                        bool
	}{
		"itself":            {"most registries give tokens themselves", "https://ghcr.io", "", "https://ghcr.io/token", true},
		"written port":      {"443 is that of https", "https://ghcr.io:443", "", "https://GHCR.io/token", true},
		"Docker Hub":        {"its tokens are got in its domain", "https://registry-1.docker.io", "", "https://auth.docker.io/token", true},
		"GitLab":            {"its registry is beside it", "https://registry.gitlab.com", "", "https://gitlab.com/jwt/auth", true},
		"GitLab's port":     {"or at another port of the same name", "https://gitlab.example.com:5050", "", "https://gitlab.example.com/jwt/auth", true},
		"another domain":    {"anybody has one", "https://registry.example.com", "", "https://tokens.example.org/token", false},
		"shared suffix":     {"a suffix below which everybody may have a name is nobody's domain", "https://a.github.io", "", "https://b.github.io/token", false},
		"country":           {"so is co.uk", "https://a.co.uk", "", "https://b.co.uk/token", false},
		"similar name":      {"an end is no domain", "https://docker.io", "", "https://notdocker.io/token", false},
		"plain":             {"nobody may read it on the way", "https://ghcr.io", "", "http://ghcr.io/token", false},
		"plain both":        {"who chose http chose it for one port", "http://127.0.0.1:5000", "", "http://127.0.0.1:5001/token", false},
		"plain itself":      {"and that gets it", "http://127.0.0.1:5000", "", "http://127.0.0.1:5000/token", true},
		"metadata":          {"an address has no domain", "https://10.169.254.169", "", "https://169.254.169.254/token", false},
		"private":           {"nor has a private one", "https://registry.example.com", "", "https://10.0.0.1/token", false},
		"loopback":          {"nor has this machine", "https://registry.localhost", "", "https://other.localhost/token", false},
		"named":             {"an operator knows better", "https://registry.example.com", "tokens.example.org", "https://tokens.example.org/token", true},
		"named with port":   {"with its port", "https://registry.example.com", "tokens.example.org:8443", "https://tokens.example.org:8443/token", true},
		"named, other port": {"and no other one", "https://registry.example.com", "tokens.example.org:8443", "https://tokens.example.org/token", false},
		"named, plain":      {"and by https alone", "https://registry.example.com", "tokens.example.org", "http://tokens.example.org:443/token", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			registry, err := url.Parse(tc.registry)
			if err != nil {
				t.Fatal(err)
			}
			at, err := url.Parse(tc.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := (keeper{registry: registry, token: tc.named}).believes(at); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

// heard keeps what a server was sent that signs in.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	h.all = append(h.all, r.Header.Get("Authorization")+string(body))
	h.mu.Unlock()
	_, _ = io.WriteString(w, `{"token": "t"}`)
}

// TestRealmsGetNoCredential sends none to a host that the registry names.
func TestRealmsGetNoCredential(t *testing.T) {
	h := &heard{}
	other := httptest.NewServer(h)
	defer other.Close()
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+other.URL+`/token",service="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer registry.Close()
	host := strings.TrimPrefix(registry.URL, "http://")
	repo, err := New(host+"/charts/web", access.Credential{Username: "robot", Password: "hunter2"}, Settings{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	view, err := repo.Look(t.Context())
	if err == nil {
		err = view.err
	}
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Refused || !strings.Contains(p.Fix, "ociTokenHost") || !strings.Contains(err.Error(), strings.TrimPrefix(other.URL, "http://")) {
		t.Errorf("it is not said what to do: %v", err)
	}
	for _, got := range h.all {
		t.Errorf("a host that the registry named got %q", got)
	}
}

// TestRealmsAreAskedForPublicTokens asks them for what needs no credential.
func TestRealmsAreAskedForPublicTokens(t *testing.T) {
	h := &heard{}
	other := httptest.NewServer(h)
	defer other.Close()
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer t" {
			_, _ = io.WriteString(w, `{"tags": ["1.0.0"]}`)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+other.URL+`/token",service="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer registry.Close()
	repo, err := New(strings.TrimPrefix(registry.URL, "http://")+"/charts/web", access.Credential{}, Settings{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	view, err := repo.Look(t.Context())
	if err != nil || view.err != nil || len(view.tags) != 1 {
		t.Errorf("public charts cannot be read: %v, %v", err, view)
	}
}
