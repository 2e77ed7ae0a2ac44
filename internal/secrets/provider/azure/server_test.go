package azure

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/providertest"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

type object = map[string]any

const tenant = "11111111-2222-3333-4444-555555555555"

// entryOf is an entry of a vault, with its versions in their order.
type entryOf struct {
	versions []string
	tags     object
	disabled bool
}

// server speaks the documented protocols of Key Vault (7.x), of Entra ID (OAuth 2) and of
// a registry's token service.
type server struct {
	*httptest.Server

	secrets map[string]entryOf

	mu     sync.Mutex
	tokens map[string]bool
	made   int
	asked  []string
	logins []url.Values
	// instead answers in place of the vault, if it answers.
	instead func(w http.ResponseWriter, r *http.Request) bool
	page    int
	// home is the tenant of the vault, where it is another one.
	home string
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{tokens: map[string]bool{}, page: 2, secrets: map[string]entryOf{
		"db":       {versions: []string{`{"password":"old"}`, `{"password":"s3cret<&>","serial":12345678901234567890,"inner":{"a":"b"}}`}, tags: object{"env": "prod", "a.b": "c", "owner": `{"mail":"a@b.example"}`}},
		"text":     {versions: []string{"no JSON"}},
		"empty":    {versions: []string{""}},
		"large":    {versions: []string{strings.Repeat("x", 25_000)}},
		"off":      {versions: []string{"x"}, disabled: true, tags: object{"env": "prod"}},
		"team-one": {versions: []string{"1"}, tags: object{"env": "prod", "team": "a"}},
		"team-two": {versions: []string{"2"}, tags: object{"env": "production"}},
		"another":  {versions: []string{"a"}, tags: object{"env": "prod"}},
	}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/"+tenant+"/") {
		s.signIn(w, r)
		return
	}
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	switch {
	case !s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] && !strings.HasPrefix(r.URL.Path, "/oauth2/"):
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer authorization="%s/%s", resource="https://vault.azure.net"`, s.URL, cmp.Or(s.home, tenant)))
		fail(w, http.StatusUnauthorized, "Unauthorized", "AKV10000: Request is missing a Bearer or PoP token.")
	case s.instead != nil && s.instead(w, r):
	case r.URL.Path == "/secrets":
		s.list(w, r)
	default:
		s.get(w, r)
	}
}

func say(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func fail(w http.ResponseWriter, code int, status, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"error":{"code":%q,"message":%q}}`, status, message)
}

// signIn is Entra ID.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	at := s.URL + "/" + tenant
	if r.Method == http.MethodGet {
		say(w, object{"issuer": at + "/v2.0", "authorization_endpoint": at + "/oauth2/v2.0/authorize", "token_endpoint": at + "/oauth2/v2.0/token"})
		return
	}
	_ = r.ParseForm()
	told := url.Values{}
	for _, field := range []string{"client_id", "client_secret", "scope", "client_assertion", "grant_type"} {
		if value := r.PostForm.Get(field); value != "" {
			told.Set(field, value)
		}
	}
	if jwt := strings.Split(told.Get("client_assertion"), "."); len(jwt) == 3 {
		claims, _ := base64.RawURLEncoding.DecodeString(jwt[1])
		var of struct{ Iss string }
		_ = json.Unmarshal(claims, &of)
		told.Set("client_assertion", "of "+of.Iss)
	}
	s.logins = append(s.logins, told)
	if told.Get("client_id") == "refused" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":"invalid_client","error_description":"AADSTS7000215: no: %s%s"}`, told.Get("client_secret"), told.Get("client_assertion"))
		return
	}
	s.made++
	token := fmt.Sprint("made-access-token-", s.made)
	s.tokens[token] = true
	say(w, object{"token_type": "Bearer", "expires_in": 3600, "access_token": token})
}

// id is that of a version.
func (s *server) id(kind, name string, n int) string {
	return fmt.Sprintf("%s/%s/%s/%032d", s.URL, kind, name, n)
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 2 {
		fail(w, http.StatusBadRequest, "BadParameter", r.URL.Path)
		return
	}
	kind, name := parts[0], parts[1]
	one, ok := s.secrets[name]
	n := len(one.versions)
	if len(parts) > 2 && parts[2] != "" {
		n, _ = strconv.Atoi(strings.TrimLeft(parts[2], "0"))
	}
	switch {
	case kind == "keys" && name == "signer":
		say(w, object{"key": object{"kid": s.id(kind, name, 1), "kty": "RSA", "n": "AQAB", "e": "AQAB", "key_ops": []string{"verify"}}, "tags": object{"env": "prod"}})
	case kind == "certificates" && name == "site":
		say(w, object{"id": s.id(kind, name, 1), "cer": base64.StdEncoding.EncodeToString([]byte{0x30, 0x82, 0xff}), "tags": object{"env": "prod"}})
	case !ok || kind != "secrets" || n < 1 || n > len(one.versions):
		fail(w, http.StatusNotFound, map[string]string{"secrets": "SecretNotFound", "keys": "KeyNotFound", "certificates": "CertificateNotFound"}[kind], "A thing with (name/id) "+name+" was not found in this key vault.")
	case one.disabled:
		fail(w, http.StatusForbidden, "Forbidden", "Operation get is not allowed on a disabled secret.")
	default:
		say(w, object{"id": s.id(kind, name, n), "value": one.versions[n-1], "tags": one.tags, "attributes": object{"enabled": true}})
	}
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	all := slices.Sorted(maps.Keys(s.secrets))
	from, _ := strconv.Atoi(r.URL.Query().Get("$skiptoken"))
	to := min(from+s.page, len(all))
	page := []object{}
	for _, name := range all[from:to] {
		one := s.secrets[name]
		page = append(page, object{"id": s.URL + "/secrets/" + name, "tags": one.tags, "attributes": object{"enabled": !one.disabled}})
	}
	out := object{"value": page, "nextLink": nil}
	if to < len(all) {
		out["nextLink"] = fmt.Sprintf("%s/secrets?api-version=7.6&$skiptoken=%d", s.URL, to)
	}
	say(w, out)
}

func (s *server) answers(instead func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = instead
}

// revoke ends all tokens.
func (s *server) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = map[string]bool{}
}

// operations are what was asked since the last time.
func (s *server) operations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.asked = nil }()
	return s.asked
}

// told is what was said to sign in since the last time.
func (s *server) told() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.logins = nil }()
	return s.logins
}

var certificate = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "app"}, NotAfter: time.Now().Add(time.Hour)}
	public, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public})) + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
})

func (s *server) objects() providertest.Objects {
	return providertest.Objects{
		"creds":   {"id": "app", "secret": "planted-client-secret", "tenant": tenant, "certificate": certificate(), "refused": "refused"},
		"bare":    {},
		"bound":   {annotationClient: "app", annotationTenant: tenant},
		"refused": {annotationClient: "refused", annotationTenant: tenant},
	}
}

func (s *server) factory() Factory {
	return Factory{
		Authority: s.URL + "/", AnyServer: true,
		Certificates: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
	}
}

// open is a store of the namespace "ns".
func (s *server) open(t *testing.T, config string) (provider.Reader, error) {
	t.Helper()
	return s.factory().Open(t.Context(), json.RawMessage(config), store.NewShelf(providertest.Cluster(s.objects(), true), nil).Around(providertest.Namespace))
}

func (s *server) opened(t *testing.T, config string) provider.Reader {
	t.Helper()
	p, err := s.open(t, config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bySecret is a store with the secret of an application.
func (s *server) bySecret() string {
	return fmt.Sprintf(`{"vaultUrl":%q,"tenantId":%q,"authSecretRef":{"clientId":{"name":"creds","key":"id"},"clientSecret":{"name":"creds","key":"secret"}}}`, s.URL, tenant)
}

// byAccount is a store with a service account.
func (s *server) byAccount(name string) string {
	return fmt.Sprintf(`{"vaultUrl":%q,"authType":"WorkloadIdentity","serviceAccountRef":{"name":%q,"audiences":["more"]}}`, s.URL, name)
}
