package azure

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

const (
	planted = "planted-seed-of-thirty-two-bytes"
	token   = "planted-token-of-azure"
	host    = "causeway.vault.azure.net"
)

// server speaks what Key Vault documents: who asks without a token is told where to get one.
// https://learn.microsoft.com/rest/api/keyvault/keys/encrypt/encrypt.
type server struct {
	*httptest.Server

	mu      sync.Mutex
	version string
	answer  http.HandlerFunc
	asked   int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") == "" {
		w.Header().Set("WWW-Authenticate", `Bearer authorization="https://login.microsoftonline.com/tenant", resource="https://vault.azure.net"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.asked++
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	var in struct{ Alg, Value string }
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &in)
	value, err := base64.RawURLEncoding.DecodeString(in.Value)
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // keys/kms/VERSION/encrypt, or keys/kms/encrypt
	version, what := s.version, path[len(path)-1]
	if what == "decrypt" {
		version = path[2]
	}
	switch {
	case err != nil || in.Alg != "RSA-OAEP-256" || r.Header.Get("Authorization") != "Bearer "+token:
		fail(w, http.StatusBadRequest, "BadParameter", in.Value)
	case path[1] != "kms":
		fail(w, http.StatusNotFound, "KeyNotFound", "")
	case what == "decrypt" && !strings.HasPrefix(string(value), version+":"):
		fail(w, http.StatusBadRequest, "BadParameter", "")
	case what == "decrypt":
		reply(w, version, flip(value[len(version)+1:]))
	default:
		reply(w, version, append([]byte(version+":"), flip(value)...))
	}
}

func reply(w http.ResponseWriter, version string, value []byte) {
	_, _ = io.WriteString(w, `{"kid":"https://`+host+`/keys/kms/`+version+`","value":"`+base64.RawURLEncoding.EncodeToString(value)+`"}`)
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"error":{"code":"`+code+`","message":"`+message+`"}}`)
}

func flip(in []byte) []byte {
	out := make([]byte, len(in))
	for i, b := range in {
		out[i] = ^b
	}
	return out
}

// someone always has a token.
type someone struct{}

func (someone) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: token, ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// serve has a vault, and a key of it.
func serve(t *testing.T, name string) (*server, *Key) {
	t.Helper()
	s := &server{version: "one"}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	transport, is := s.Client().Transport.(*http.Transport)
	if !is {
		t.Fatal("the server has another transport")
	}
	transport = transport.Clone()
	transport.TLSClientConfig.ServerName = "example.com" // that of the test's certificate
	transport.DialContext = dialAlways(s.Listener.Addr().String())
	k, err := open(Config{Vault: host, Key: name}, someone{}, transport)
	if err != nil {
		t.Fatal(err)
	}
	return s, k
}

// dialAlways connects to one address, whatever is asked for.
func dialAlways(address string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

func TestRotation(t *testing.T) {
	s, k := serve(t, "kms")
	old, before := encrypt(t, k)
	if before != "https://"+host+"/keys/kms/one" || strings.Contains(string(old), planted) {
		t.Errorf("it encrypts with %s to %q", before, old)
	}
	s.version = "two"
	renewed, after := encrypt(t, k)
	if after != "https://"+host+"/keys/kms/two" {
		t.Errorf("after a rotation it encrypts with %s", after)
	}
	decrypt(t, k, old, before)
	decrypt(t, k, renewed, after)
	if _, err := k.Decrypt(t.Context(), old, "https://other.vault.azure.net/keys/kms/one"); err == nil || !strings.Contains(err.Error(), "start this plugin with the former key") {
		t.Errorf("of another vault: %v", err)
	}
}

// TestFailures: an error says what, why and what to do, and nothing that is secret.
func TestFailures(t *testing.T) {
	coded := base64.RawURLEncoding.EncodeToString([]byte(planted))
	tests := map[string]struct {
		reason, key string
		answer      http.HandlerFunc
		want        string
	}{
		"Missing":   {"a typo", "other", nil, "no such key in this vault"},
		"Denied":    {"no role", "kms", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusForbidden, "Forbidden", coded) }, "Key Vault Crypto User"},
		"Throttled": {"too many ask", "kms", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusTooManyRequests, "Throttled", coded) }, "429 Too Many Requests: Throttled"},
		"Repeats": {"servers quote what they refuse", "kms", func(w http.ResponseWriter, _ *http.Request) {
			fail(w, http.StatusBadRequest, "BadParameter", coded+token)
		}, "BadParameter"},
		"Page":  {"a proxy is in between", "kms", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>"+coded) }, "not one of Azure"},
		"Empty": {"something else answers", "kms", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }, "not one of Azure"},
		"OtherKey": {"something else answers", "kms", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"kid":"https://x/keys/k/1","value":"AAAA"}`)
		}, "not one of Azure"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s, k := serve(t, tc.key)
			s.answer = tc.answer
			_, _, err := k.Encrypt(t.Context(), []byte(planted))
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "cannot encrypt with the key https://"+host) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			for _, secret := range []string{planted, coded, token} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error tells a secret: %v", err)
				}
			}
			if s.asked > retries+1 {
				t.Errorf("it asked %d times", s.asked)
			}
		})
	}
	s, k := serve(t, "kms")
	s.Close()
	if _, _, err := k.Encrypt(t.Context(), []byte(planted)); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("nobody listens: %v", err)
	}
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
