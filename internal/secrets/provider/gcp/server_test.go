package gcp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
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

// secret is an entry: its versions, of which the last is the latest, and their states
// where they are not enabled.
type secret struct {
	versions    []string
	states      map[int]string
	aliases     map[string]int
	labels      map[string]string
	annotations map[string]string
}

// server speaks the documented protocols of Secret Manager (REST, v1), of OAuth with keys
// of service accounts, of the Security Token Service and of IAM's credentials.
type server struct {
	*httptest.Server

	key     string
	secrets map[string]secret

	mu     sync.Mutex
	tokens map[string]bool
	made   int
	asked  []string
	logins []url.Values
	// instead answers in place of Google, if it answers.
	instead func(w http.ResponseWriter, r *http.Request) bool
	page    int
	// life is how long tokens count, in seconds.
	life int
}

var key = sync.OnceValue(func() string {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(made)}))
})

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{tokens: map[string]bool{}, page: 3, life: 3600, secrets: map[string]secret{
		"projects/shop/secrets/db": {versions: []string{`{"password":"old"}`, `{"password":"s3cret<&>","serial":12345678901234567890,"inner":{"a":"b"},"a.b":"dot"}`},
			aliases: map[string]int{"stable": 1}, labels: map[string]string{"env": "prod", "team": "a"}, annotations: map[string]string{"owner": "me"}},
		"projects/shop/secrets/text":                           {versions: []string{"no JSON"}, labels: map[string]string{"env": "prod"}, annotations: map[string]string{"example.com/owner": "you"}},
		"projects/shop/secrets/binary":                         {versions: []string{"\x00\x01\xff"}},
		"projects/shop/secrets/large":                          {versions: []string{strings.Repeat("x", 64<<10)}},
		"projects/shop/secrets/none":                           {labels: map[string]string{"kind": "odd"}},
		"projects/shop/secrets/gone":                           {versions: []string{"x"}, states: map[int]string{1: "DESTROYED"}},
		"projects/shop/secrets/wrong":                          {versions: []string{"right", "x"}, states: map[int]string{2: "DESTROYED"}, labels: map[string]string{"kind": "wrong"}},
		"projects/shop/secrets/off":                            {versions: []string{"on", "x"}, states: map[int]string{2: "DISABLED"}, labels: map[string]string{"kind": "off"}},
		"projects/shop/secrets/team-One":                       {versions: []string{"1"}, labels: map[string]string{"env": "production"}},
		"projects/shop/secrets/team-two":                       {versions: []string{"2"}, labels: map[string]string{"env": "prod"}},
		"projects/other/secrets/db":                            {versions: []string{"other"}},
		"projects/shop/locations/europe-west3/secrets/here":    {versions: []string{"regional"}},
		"projects/shop/locations/europe-west3/secrets/there":   {versions: []string{"t"}, labels: map[string]string{"env": "prod"}},
		"projects/denied/secrets/db":                           {versions: []string{"x"}},
		"projects/shop/locations/europe-west3/secrets/nothing": {},
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	made, err := json.Marshal(object{
		"type": "service_account", "client_email": "reader@shop.iam.gserviceaccount.com", "private_key_id": "1", "private_key": key(), "token_uri": s.URL + "/token",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.key = string(made)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, verb, _ := strings.Cut(r.URL.Path, ":")
	name := strings.TrimPrefix(strings.TrimSuffix(r.URL.Path, ":"+verb), "/v1/")
	s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+name+" "+verb))
	switch {
	case s.instead != nil && s.instead(w, r):
	case r.Method == http.MethodPost:
		s.signIn(w, r, name, verb)
	case !s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]:
		fail(w, http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
	case strings.HasPrefix(name, "projects/denied/"):
		fail(w, http.StatusForbidden, "PERMISSION_DENIED", "Permission denied on resource (or it may not exist), with "+r.Header.Get("Authorization"))
	case verb == "access":
		s.access(w, name)
	case strings.HasSuffix(name, "/versions"):
		s.listVersions(w, r, strings.TrimSuffix(name, "/versions"))
	case strings.HasSuffix(name, "/secrets"):
		s.list(w, r, name)
	default:
		one, ok := s.secrets[name]
		if !ok {
			fail(w, http.StatusNotFound, "NOT_FOUND", "Secret ["+name+"] not found.")
			return
		}
		say(w, object{"name": name, "labels": one.labels, "annotations": one.annotations})
	}
}

func say(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func fail(w http.ResponseWriter, code int, status, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"status":%q,"message":%q}}`, code, status, message)
}

func (s *server) signIn(w http.ResponseWriter, r *http.Request, name, verb string) {
	body, _ := io.ReadAll(r.Body)
	said, _ := url.ParseQuery(string(body))
	said.Set("at", strings.TrimSpace(name+" "+verb))
	if verb != "" {
		said = url.Values{"at": {name + " " + verb}, "by": {r.Header.Get("Authorization")}}
	}
	if jwt := strings.Split(said.Get("assertion"), "."); len(jwt) == 3 {
		claims, _ := base64.RawURLEncoding.DecodeString(jwt[1])
		var of struct{ Iss, Scope string }
		_ = json.Unmarshal(claims, &of)
		said.Set("assertion", of.Iss+" "+of.Scope)
	}
	s.logins = append(s.logins, said)
	if strings.Contains(said.Get("subject_token"), "refused") || strings.Contains(name, "refused") {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"error":"invalid_grant","error_description":%q}`, "not a token: "+said.Get("subject_token"))
		return
	}
	s.made++
	token := fmt.Sprint("made-access-token-", s.made)
	s.tokens[token] = true
	if verb != "" {
		say(w, object{"accessToken": token, "expireTime": time.Now().Add(time.Duration(s.life) * time.Second).UTC().Format(time.RFC3339)})
		return
	}
	say(w, object{"access_token": token, "token_type": "Bearer", "expires_in": s.life, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"})
}

func (s *server) access(w http.ResponseWriter, name string) {
	secretName, version, _ := strings.Cut(name, "/versions/")
	one, ok := s.secrets[secretName]
	n, err := strconv.Atoi(version)
	switch {
	case version == "latest":
		n = len(one.versions)
	case err != nil:
		n = one.aliases[version]
	}
	switch {
	case !ok || n == 0 || n > len(one.versions):
		fail(w, http.StatusNotFound, "NOT_FOUND", "Secret Version ["+name+"] not found.")
	case one.states[n] != "":
		fail(w, http.StatusBadRequest, "FAILED_PRECONDITION", "Secret Version ["+name+"] is in "+one.states[n]+" state.")
	default:
		value := []byte(one.versions[n-1])
		say(w, object{"name": fmt.Sprintf("%s/versions/%d", strings.Replace(secretName, "projects/shop", "projects/123", 1), n), "payload": object{
			"data": base64.StdEncoding.EncodeToString(value), "dataCrc32c": strconv.FormatUint(uint64(crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli))), 10),
		}})
	}
}

func (s *server) listVersions(w http.ResponseWriter, r *http.Request, name string) {
	one, all := s.secrets[name], []object{}
	for n := len(one.versions); n > 0; n-- {
		if one.states[n] == "" && r.URL.Query().Get("filter") == "state:ENABLED" {
			all = append(all, object{"name": fmt.Sprintf("%s/versions/%d", name, n), "state": "ENABLED"})
		}
	}
	say(w, object{"versions": all})
}

func (s *server) list(w http.ResponseWriter, r *http.Request, name string) {
	var names []string
	for _, one := range slices.Sorted(maps.Keys(s.secrets)) {
		rest, ok := strings.CutPrefix(one, name+"/")
		if ok && !strings.Contains(rest, "/") && passes(s.secrets[one], rest, r.URL.Query().Get("filter")) {
			names = append(names, one)
		}
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("pageToken"))
	to := min(from+s.page, len(names))
	out := object{}
	var page []object
	for _, one := range names[from:to] {
		page = append(page, object{"name": one, "labels": s.secrets[one].labels})
	}
	if page != nil { // as Google has it, an empty list is none
		out["secrets"] = page
	}
	if to < len(names) {
		out["nextPageToken"] = strconv.Itoa(to)
	}
	say(w, out)
}

// passes applies a filter to a secret: words in names in any case, and labels.
func passes(one secret, name, filter string) bool {
	for part := range strings.SplitSeq(filter, " AND ") {
		if word, ok := strings.CutPrefix(part, "name:"); ok && !strings.Contains(strings.ToLower(name), word) {
			return false
		}
		if label, ok := strings.CutPrefix(part, "labels."); ok {
			key, value, _ := strings.Cut(label, "=")
			if one.labels[key] != value {
				return false
			}
		}
	}
	return true
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

func (s *server) objects() providertest.Objects {
	return providertest.Objects{
		"creds":   {"key": s.key, "wrong": `{"type":"authorized_user","refresh_token":"planted-refresh-token"}`, "text": "planted-text-that-is-no-json"},
		"bare":    {},
		"bound":   {annotation: "reader@shop.iam.gserviceaccount.com"},
		"refused": {annotation: "refused@shop.iam.gserviceaccount.com"},
		"odd":     {annotation: "../../x"},
	}
}

func (s *server) factory() Factory {
	return Factory{Endpoints: Endpoints{SecretManager: s.URL, Tokens: s.URL + "/v1/token", Accounts: s.URL}}
}

// open is a store of the namespace that asks.
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

const (
	byKey    = `"auth":{"secretRef":{"secretAccessKeySecretRef":{"name":"creds","key":"key"}}}`
	ofKey    = `{"projectID":"shop",` + byKey + `}`
	ofRegion = `{"projectID":"shop","location":"europe-west3",` + byKey + `}`
	ofGKE    = `{"projectID":"shop","auth":{"workloadIdentity":{"serviceAccountRef":{"name":"%s","audiences":["more"]},"clusterName":"c1","clusterLocation":"europe-west3-a","clusterProjectID":"clusters"}}}`
	pool     = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x"
	ofPool   = `{"projectID":"shop","auth":{"workloadIdentityFederation":{"serviceAccountRef":{"name":"%s"},"audience":"` + pool + `"}}}`
)
