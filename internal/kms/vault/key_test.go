package vault

import (
	"context"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const planted = "planted-seed-of-thirty-two-bytes"

func TestRotation(t *testing.T) {
	s := serve(t)
	k := open(t, s, byToken(t, "hvs.root\n"))
	old, before := encrypt(t, k)
	if before != "vault:teams/transit/causeway:v1" || strings.Contains(string(old), planted) {
		t.Errorf("it encrypts with %s to %s", before, old)
	}
	s.set(func(s *server) { s.latest = 2 })
	renewed, after := encrypt(t, k)
	if after != "vault:teams/transit/causeway:v2" {
		t.Errorf("after a rotation it encrypts with %s", after)
	}
	decrypt(t, k, old, before)
	decrypt(t, k, renewed, after)
	s.set(func(s *server) { s.oldest = 2 })
	if _, err := k.Decrypt(t.Context(), old, before); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("of a version that may not decrypt any more: %v", err)
	}
	if _, err := k.Decrypt(t.Context(), old, "vault:transit/other:v1"); err == nil || !strings.Contains(err.Error(), "vault:transit/other:v1") {
		t.Errorf("of another key: %v", err)
	}
}

func TestWhoAsks(t *testing.T) {
	tests := map[string]struct {
		reason string
		config Config
		logins int
	}{
		"Token":      {"a file that an agent writes", byToken(t, "hvs.root"), 0},
		"AppRole":    {"a machine", Config{AppRole: "role", SecretIDFile: file(t, "secret-of-the-role\n")}, 1},
		"Kubernetes": {"a pod, of a cluster that has its own mount", Config{Role: "kms", JWTFile: file(t, "token-of-the-account"), AuthPath: "cluster"}, 1},
		"Projected":  {"the kubelet writes a token for all users of a pod", Config{Role: "kms", JWTFile: readable(t, "token-of-the-account"), AuthPath: "cluster"}, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			tc.config.Namespace = "teams"
			k := open(t, s, tc.config)
			for range 3 {
				text, id := encrypt(t, k)
				decrypt(t, k, text, id)
			}
			if s.logins != tc.logins {
				t.Errorf("%s: it logged in %d times", tc.reason, s.logins)
			}
			for _, r := range s.requests {
				if r.Header.Get("X-Vault-Namespace") != "teams" || r.Header.Get("X-Vault-Request") != "true" {
					t.Errorf("%s has the headers %v", r.URL.Path, r.Header)
				}
			}
		})
	}
}

// TestTokensThatEnd: one is replaced before it ends, and where the server does not know it any more.
func TestTokensThatEnd(t *testing.T) {
	s := serve(t)
	s.life = 600
	k := open(t, s, Config{AppRole: "role", SecretIDFile: file(t, "secret-of-the-role")})
	now := time.Unix(0, 0)
	k.now = func() time.Time { return now }
	encrypt(t, k)
	now = now.Add(399 * time.Second)
	encrypt(t, k)
	if s.logins != 1 {
		t.Errorf("it logged in %d times within two thirds of the token's life", s.logins)
	}
	now = now.Add(2 * time.Second)
	encrypt(t, k)
	if s.logins != 2 {
		t.Errorf("it logged in %d times, and not again before the token's end", s.logins)
	}
	s.set(func(s *server) { clear(s.tokens) })
	now = now.Add(soonest)
	encrypt(t, k)
	if s.logins != 3 {
		t.Errorf("it logged in %d times, and not again after its token was revoked", s.logins)
	}
}

// TestPolicyThatRefuses: each login has Vault keep a token for as long as its role says, so a policy that does not permit
// what is asked, again and again, is no reason for one each time.
func TestPolicyThatRefuses(t *testing.T) {
	s := serve(t)
	s.refused = "/v1/teams/transit/decrypt/causeway"
	k := open(t, s, Config{AppRole: "role", SecretIDFile: file(t, "secret-of-the-role")})
	now := time.Unix(0, 0)
	k.now = func() time.Time { return now }
	text, id := encrypt(t, k)
	try := func(times int, every time.Duration) {
		for range times {
			encrypt(t, k)
			if _, err := k.Decrypt(t.Context(), text, id); err == nil || !strings.Contains(err.Error(), "403 Forbidden: permission denied") {
				t.Fatalf("got %v", err)
			}
			now = now.Add(every)
		}
	}
	try(20, 2*time.Second)
	if s.logins != 1 {
		t.Errorf("within a minute it logged in %d times", s.logins)
	}
	try(6*60, 2*time.Minute)
	if s.logins > 20 {
		t.Errorf("within half a day it logged in %d times", s.logins)
	}
	s.set(func(s *server) { s.refused = "" })
	decrypt(t, k, text, id) // a policy is of a role, and not of a login
	s.set(func(s *server) { clear(s.tokens) })
	now = now.Add(latest)
	encrypt(t, k)
	s.set(func(s *server) { clear(s.tokens) })
	now = now.Add(soonest)
	encrypt(t, k) // what worked again is tried again as soon as before
}

// TestFilesThatChange: a token that somebody else renews is read where it is needed.
func TestFilesThatChange(t *testing.T) {
	s := serve(t)
	path := file(t, "hvs.ended")
	k := open(t, s, Config{TokenFile: path})
	if _, _, err := k.Encrypt(t.Context(), []byte(planted)); err == nil || !strings.Contains(err.Error(), "403 Forbidden: permission denied") {
		t.Errorf("with a token that nobody knows: %v", err)
	}
	if err := os.WriteFile(path, []byte("hvs.root"), 0o600); err != nil {
		t.Fatal(err)
	}
	encrypt(t, k)
}

// TestFailures: an error says what, where and why, and nothing that is secret, whatever a server answers.
func TestFailures(t *testing.T) {
	coded := base64.StdEncoding.EncodeToString([]byte(planted))
	token := byToken(t, "hvs.root")
	tests := map[string]struct {
		reason string
		config Config
		answer http.HandlerFunc
		want   string
	}{
		"Away":  {"nobody listens", token, nil, "connection refused"},
		"NoKey": {"a typo", token, func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound) }, "404 Not Found"},
		"Sealed": {"after a restart", token, func(w http.ResponseWriter, _ *http.Request) {
			fail(w, http.StatusServiceUnavailable, "Vault is sealed")
		}, "Vault is sealed"},
		"Throttled": {"a quota", token, func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusTooManyRequests, "quota exceeded") }, "429 Too Many Requests: quota exceeded"},
		"Repeats": {"servers quote what they refuse", token, func(w http.ResponseWriter, _ *http.Request) {
			fail(w, http.StatusBadRequest, "cannot use "+coded)
		}, "cannot use "},
		"RepeatsToken": {"gateways quote headers", token, func(w http.ResponseWriter, r *http.Request) {
			fail(w, http.StatusBadRequest, "refused: X-Vault-Token: "+r.Header.Get("X-Vault-Token"))
		}, "refused: "},
		"RepeatsTokenOfLogin": {"it is as good as any", Config{AppRole: "role", SecretIDFile: file(t, "secret-of-the-role")}, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/v1/auth/") {
				answerWith(w, map[string]any{"auth": map[string]any{"client_token": "hvs.root"}})
				return
			}
			fail(w, http.StatusForbidden, "refused: X-Vault-Token: "+r.Header.Get("X-Vault-Token"))
		}, "refused: "},
		"Page":           {"a proxy is in between", token, page, "502 Bad Gateway"},
		"PageThatIsFine": {"a proxy is in between", token, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>" + coded)) }, "cannot encrypt with"},
		"Nothing":        {"something else answers", token, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "without data"},
		"OtherAnswer":    {"something else answers", token, func(w http.ResponseWriter, _ *http.Request) { data(w, map[string]any{"value": coded}) }, "as the transit engine does"},
		"Odd":            {"something else answers", token, func(w http.ResponseWriter, _ *http.Request) { data(w, map[string]any{"ciphertext": coded}) }, "as the transit engine does"},
		"Redirect": {"a token is for one server", token, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}, "cannot encrypt with"},
		"NoLogin":   {"the secret may be in the answer", Config{AppRole: "role", SecretIDFile: file(t, planted)}, nil, "cannot log in at auth/approle/login"},
		"NoFile":    {"it was not put there", Config{TokenFile: "/nowhere/token"}, nil, "cannot use token-file"},
		"EmptyFile": {"an agent has just begun", byToken(t, "\n"), nil, "is empty"},
		"OpenID":    {"all users could log in", Config{AppRole: "role", SecretIDFile: readable(t, "secret-of-the-role")}, nil, "chmod o-rwx"},
		"OpenFile":  {"all users could encrypt and decrypt", Config{TokenFile: readable(t, "hvs.root")}, nil, "chmod o-rwx"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			s.answer = tc.answer
			k := open(t, s, tc.config)
			if name == "Away" {
				s.Close()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, _, err := k.Encrypt(ctx, []byte(planted))
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "cannot encrypt with vault:teams/transit/causeway at "+s.URL) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			for _, secret := range []string{planted, coded, "hvs.root"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error tells a secret: %v", err)
				}
			}
		})
	}
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusBadGateway)
	_, _ = w.Write([]byte("<html>hvs.root</html>"))
}

// TestPatience: a server that says nothing keeps nobody longer than they want to wait.
func TestPatience(t *testing.T) {
	s := serve(t)
	entered, leave := make(chan struct{}, 1), make(chan struct{})
	s.answer = func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-leave }
	defer close(leave)
	k := open(t, s, byToken(t, "hvs.root"))
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, _, err := k.Encrypt(ctx, []byte(planted))
		failed <- err
	}()
	<-entered
	cancel()
	if err := <-failed; err == nil {
		t.Error("it had an answer")
	}
}

// TestEnvironment: what a shell says of Vault is not this key's.
func TestEnvironment(t *testing.T) {
	t.Setenv("VAULT_TOKEN", "hvs.shell")
	t.Setenv("VAULT_NAMESPACE", "shell")
	t.Setenv("VAULT_ADDR", "http://127.0.0.1:1")
	s := serve(t)
	encrypt(t, open(t, s, byToken(t, "hvs.root")))
	if got := s.requests[0].Header.Get("X-Vault-Namespace"); got != "" {
		t.Errorf("it asks the namespace %s", got)
	}
}

func open(t *testing.T, s *server, c Config) *Key {
	t.Helper()
	c.Server, c.Mount, c.Key = s.URL, "/teams/transit/", "causeway"
	k, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func byToken(t *testing.T, token string) Config {
	t.Helper()
	return Config{TokenFile: file(t, token)}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readable(t *testing.T, text string) string {
	t.Helper()
	path := file(t, text)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func encrypt(t *testing.T, k *Key) (text []byte, id string) {
	t.Helper()
	text, id, err := k.Encrypt(t.Context(), []byte(planted))
	if err != nil {
		t.Fatal(err)
	}
	return text, id
}

func decrypt(t *testing.T, k *Key, text []byte, id string) {
	t.Helper()
	plain, err := k.Decrypt(t.Context(), text, id)
	if err != nil || string(plain) != planted {
		t.Errorf("what %s encrypted is decrypted to %q, %v", id, plain, err)
	}
}
