package vault

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// server speaks what the transit engine and two methods document.
// https://developer.hashicorp.com/vault/api-docs/secret/transit.
type server struct {
	*httptest.Server

	mu       sync.Mutex
	tokens   map[string]bool
	logins   int
	latest   int    // version of the key
	oldest   int    // that may decrypt
	life     int    // seconds, of a token
	refused  string // path that the policy does not permit
	answer   http.HandlerFunc
	requests []*http.Request
	said     []string
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{tokens: map[string]bool{"hvs.root": true}, latest: 1, oldest: 1}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := io.ReadAll(r.Body)
	s.requests, s.said = append(s.requests, r), append(s.said, string(text))
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	var body map[string]string
	_ = json.Unmarshal(text, &body)
	if strings.HasPrefix(r.URL.Path, "/v1/auth/") {
		s.logIn(w, r, body)
		return
	}
	if !s.tokens[r.Header.Get("X-Vault-Token")] || r.URL.Path == s.refused {
		fail(w, http.StatusForbidden, "permission denied")
		return
	}
	switch r.URL.Path {
	case "/v1/teams/transit/encrypt/causeway":
		plain, err := base64.StdEncoding.DecodeString(body["plaintext"])
		if err != nil {
			fail(w, http.StatusBadRequest, "illegal base64 data: "+body["plaintext"])
			return
		}
		data(w, map[string]any{"ciphertext": fmt.Sprintf("vault:v%d:%s", s.latest, base64.StdEncoding.EncodeToString(flip(plain))), "key_version": s.latest})
	case "/v1/teams/transit/decrypt/causeway":
		version, rest, _ := strings.Cut(strings.TrimPrefix(body["ciphertext"], "vault:v"), ":")
		var number int
		_, _ = fmt.Sscan(version, &number)
		flipped, err := base64.StdEncoding.DecodeString(rest)
		switch {
		case number < s.oldest || number > s.latest:
			fail(w, http.StatusBadRequest, "ciphertext or signature version is disallowed by policy (too old)")
		case err != nil:
			fail(w, http.StatusBadRequest, "invalid ciphertext: could not decode base64")
		default:
			data(w, map[string]any{"plaintext": base64.StdEncoding.EncodeToString(flip(flipped))})
		}
	default:
		fail(w, http.StatusNotFound)
	}
}

func (s *server) logIn(w http.ResponseWriter, r *http.Request, body map[string]string) {
	known := map[string]bool{
		"/v1/auth/approle/login role secret-of-the-role": true, "/v1/auth/cluster/login kms token-of-the-account": true,
	}
	if !known[r.URL.Path+" "+body["role_id"]+body["role"]+" "+body["secret_id"]+body["jwt"]] {
		fail(w, http.StatusBadRequest, "invalid role or secret ID: "+body["secret_id"]+body["jwt"])
		return
	}
	s.logins++
	token := fmt.Sprintf("hvs.login-%d", s.logins)
	s.tokens[token] = true
	answerWith(w, map[string]any{"auth": map[string]any{"client_token": token, "lease_duration": s.life}})
}

func data(w http.ResponseWriter, values map[string]any) {
	answerWith(w, map[string]any{"data": values})
}

func fail(w http.ResponseWriter, code int, errors ...string) {
	w.WriteHeader(code)
	answerWith(w, map[string]any{"errors": append([]string{}, errors...)})
}

func flip(in []byte) []byte {
	out := make([]byte, len(in))
	for i, b := range in {
		out[i] = ^b
	}
	return out
}

func (s *server) set(change func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func answerWith(w http.ResponseWriter, value any) { _, _ = w.Write(encoded(value)) }

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
