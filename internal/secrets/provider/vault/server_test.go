package vault

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// kv is what an engine has: versions of entries by their paths; a nil one is deleted.
type kv map[string][]map[string]any

// server speaks Vault's documented HTTP API: two KV engines, "secret" of version 2 and "old" of version 1, and logins.
type server struct {
	*httptest.Server

	second kv
	tags   map[string]map[string]any
	first  map[string]map[string]any

	mu       sync.Mutex
	tokens   map[string]bool
	made     int
	logins   []string
	requests []string
	lease    int
	// instead answers in place of Vault, if it answers.
	instead func(w http.ResponseWriter, r *http.Request) bool
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{
		tokens: map[string]bool{"given": true}, lease: 3600,
		second: kv{
			"db":            {{"password": "old"}, {"password": "s3cret<&>", "port": 5432, "serial": json.Number("12345678901234567890"), "inner": map[string]any{"a": "b"}}},
			"gone":          {{"a": "b"}, nil},
			"team/app/one":  {{"v": "1"}},
			"team/app/two":  {{"v": "2"}},
			"team/three":    {{"v": "3"}},
			"secret/inside": {{"v": "in a folder that is called as the engine"}},
			"data/inside":   {{"v": "in a folder called data"}},
			"inside":        {{"v": "outside"}},
			"a b/c?d#e%41":  {{"v": "signs"}},
			"large":         {{"v": strings.Repeat("x", 1<<20)}},
		},
		tags:  map[string]map[string]any{"team/app/one": {"env": "prod", "team": "a"}, "team/three": {"env": "prod"}},
		first: map[string]map[string]any{"db": {"password": "v1", "data": "a field"}},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("X-Vault-Namespace"))
	if s.instead != nil && s.instead(w, r) {
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	if strings.HasPrefix(path, "auth/") && path != "auth/token/lookup-self" {
		s.logIn(w, r, path)
		return
	}
	if !s.tokens[r.Header.Get("X-Vault-Token")] {
		say(w, http.StatusForbidden, map[string]any{"errors": []string{"permission denied"}})
		return
	}
	mount, rest, _ := strings.Cut(path, "/")
	what, key, _ := strings.Cut(rest, "/")
	switch {
	case mount == "auth":
		say(w, http.StatusOK, map[string]any{"data": map[string]any{"id": r.Header.Get("X-Vault-Token")}})
	case key == "forbidden":
		say(w, http.StatusForbidden, map[string]any{"errors": []string{"permission denied"}})
	case mount == "old" && s.first[rest] != nil:
		say(w, http.StatusOK, map[string]any{"data": s.first[rest], "lease_duration": 2764800})
	case mount == "secret" && what == "data":
		s.entry(w, key, r.URL.Query().Get("version"))
	case mount == "secret" && what == "metadata" && r.URL.Query().Get("list") == "true":
		s.list(w, key)
	case mount == "secret" && what == "metadata" && s.second[key] != nil:
		say(w, http.StatusOK, map[string]any{"data": map[string]any{"custom_metadata": s.tags[key], "current_version": len(s.second[key])}})
	case mount == "secret" || mount == "old":
		say(w, http.StatusNotFound, map[string]any{"errors": []string{}})
	default:
		say(w, http.StatusNotFound, map[string]any{"errors": []string{fmt.Sprintf("no handler for route %q. route entry not found.", path)}})
	}
}

func say(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func (s *server) entry(w http.ResponseWriter, key, version string) {
	versions := s.second[key]
	n := len(versions)
	if version != "" {
		if _, err := fmt.Sscanf(version, "%d", &n); err != nil {
			say(w, http.StatusBadRequest, map[string]any{"errors": []string{"error converting input for field \"version\""}})
			return
		}
	}
	if n < 1 || n > len(versions) {
		say(w, http.StatusNotFound, map[string]any{"errors": []string{}})
		return
	}
	metadata := map[string]any{"version": n, "destroyed": false, "deletion_time": "", "created_time": "2026-01-01T00:00:00Z"}
	if versions[n-1] == nil {
		metadata["deletion_time"] = "2026-01-02T00:00:00Z"
		say(w, http.StatusNotFound, map[string]any{"data": map[string]any{"data": nil, "metadata": metadata}})
		return
	}
	say(w, http.StatusOK, map[string]any{"data": map[string]any{"data": versions[n-1], "metadata": metadata}})
}

func (s *server) list(w http.ResponseWriter, folder string) {
	if folder = strings.Trim(folder, "/"); folder != "" {
		folder += "/"
	}
	names := map[string]bool{}
	for key := range s.second {
		if rest, ok := strings.CutPrefix(key, folder); ok {
			name, _, deeper := strings.Cut(rest, "/")
			if deeper {
				name += "/"
			}
			names[name] = true
		}
	}
	if len(names) == 0 {
		say(w, http.StatusNotFound, map[string]any{"errors": []string{}})
		return
	}
	say(w, http.StatusOK, map[string]any{"data": map[string]any{"keys": slices.Sorted(maps.Keys(names))}})
}

// logIn takes the credentials of these tests.
func (s *server) logIn(w http.ResponseWriter, r *http.Request, path string) {
	body, _ := io.ReadAll(r.Body)
	said := path + " " + strings.TrimSpace(string(body))
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		said += " " + r.TLS.PeerCertificates[0].Subject.CommonName
	}
	s.logins = append(s.logins, said)
	if strings.Contains(said, "wrong") {
		say(w, http.StatusBadRequest, map[string]any{"errors": []string{"invalid credentials: " + string(body)}})
		return
	}
	s.made++
	token := fmt.Sprint("token-", s.made)
	s.tokens[token] = true
	say(w, http.StatusOK, map[string]any{"auth": map[string]any{"client_token": token, "lease_duration": s.lease, "renewable": true}})
}

// revoke ends all tokens.
func (s *server) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = map[string]bool{}
}

func (s *server) answers(instead func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = instead
}

func (s *server) count() (logins, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.logins), len(s.requests)
}

// secrets are the Secrets of the namespace "ns", by their names.
type secrets map[string]map[string]string

func (s secrets) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	secret, ok := into.(*corev1.Secret)
	data, there := s[name.Name]
	if !ok || !there || name.Namespace != "ns" {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name.Name)
	}
	secret.Data = map[string][]byte{}
	for key, text := range data {
		secret.Data[key] = []byte(text)
	}
	return nil
}

func (secrets) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nobody lists")
}

// around is a store of the namespace "ns" with these Secrets.
func around(all secrets) store.Around {
	return store.NewShelf(store.Cluster{
		Objects: all,
		Tokens: func(_ context.Context, account types.NamespacedName, audiences []string) (string, error) {
			return "jwt of " + account.String() + " for " + strings.Join(audiences, ","), nil
		},
	}, nil).Around("ns")
}

var credentials = secrets{
	"creds": {"token": "given", "id": "role-1", "secret": "s-e-c-r-e-t", "wrong": "wrong-hunter22", "jwt": "a.b.c"},
}

// opened is a provider at a server; the configuration gets its address.
func (s *server) opened(t *testing.T, config string, all secrets) provider.Reader {
	t.Helper()
	p, err := s.open(t, config, all)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *server) open(t *testing.T, config string, all secrets) (provider.Reader, error) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(config), &fields); err != nil {
		t.Fatal(err)
	}
	if fields["server"] == nil {
		fields["server"] = s.URL
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return Open(t.Context(), text, around(all))
}

const byToken = `{"path":"secret","auth":{"tokenSecretRef":{"name":"creds","key":"token"}}}`

const byRole = `{"path":"secret","auth":{"appRole":{"roleId":"role-1","secretRef":{"name":"creds","key":"secret"}}}}`

// pair is a certificate with its key, in PEM.
func pair(t *testing.T, name string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	one := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, one, one, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}
