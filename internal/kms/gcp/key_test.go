package gcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const (
	planted = "planted-seed-of-thirty-two-bytes"
	token   = "planted-token-of-google"
	name    = "projects/p/locations/europe-west3/keyRings/r/cryptoKeys/kms"
)

// server speaks what Cloud KMS documents.
// https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys/encrypt.
type server struct {
	*httptest.Server

	mu      sync.Mutex
	version string
	answer  http.HandlerFunc
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var in struct{ Plaintext, Ciphertext []byte }
	text, _ := io.ReadAll(r.Body)
	switch {
	case s.answer != nil:
		s.answer(w, r)
	case json.Unmarshal(text, &in) != nil || r.Header.Get("Authorization") != "Bearer "+token:
		fail(w, http.StatusUnauthorized, "UNAUTHENTICATED")
	case r.URL.Path == "/v1/"+name+":encrypt":
		_, _ = io.WriteString(w, `{"name":"`+name+"/cryptoKeyVersions/"+s.version+`","ciphertext":"`+base64.StdEncoding.EncodeToString(flip(in.Plaintext))+`"}`)
	case r.URL.Path == "/v1/"+name+":decrypt":
		_, _ = io.WriteString(w, `{"plaintext":"`+base64.StdEncoding.EncodeToString(flip(in.Ciphertext))+`"}`)
	default:
		fail(w, http.StatusNotFound, "NOT_FOUND")
	}
}

func fail(w http.ResponseWriter, code int, status string) {
	w.WriteHeader(code)
	_, _ = io.WriteString(w, `{"error":{"code":1,"message":"`+base64.StdEncoding.EncodeToString([]byte(planted))+`","status":"`+status+`"}}`)
}

func flip(in []byte) []byte {
	out := make([]byte, len(in))
	for i, b := range in {
		out[i] = ^b
	}
	return out
}

func serve(t *testing.T) (*server, *Key) {
	t.Helper()
	s := &server{version: "1"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	k, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	k.endpoint = s.URL + "/v1/"
	k.find = func(context.Context) (oauth2.TokenSource, error) {
		return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}), nil
	}
	return s, k
}

func TestRotation(t *testing.T) {
	s, k := serve(t)
	old, before := encrypt(t, k)
	if before != name+"/cryptoKeyVersions/1" || strings.Contains(string(old), planted) {
		t.Errorf("it encrypts with %s to %q", before, old)
	}
	s.version = "2"
	renewed, after := encrypt(t, k)
	if after != name+"/cryptoKeyVersions/2" {
		t.Errorf("after a rotation it encrypts with %s", after)
	}
	decrypt(t, k, old, before)
	decrypt(t, k, renewed, after)
	if _, err := k.Decrypt(t.Context(), old, strings.Replace(before, "keyRings/r", "keyRings/other", 1)); err == nil || !strings.Contains(err.Error(), "start this plugin with the former key") {
		t.Errorf("of another key: %v", err)
	}
}

// TestFailures: an error says what, why and what to do, and nothing that is secret.
func TestFailures(t *testing.T) {
	coded := base64.StdEncoding.EncodeToString([]byte(planted))
	says := func(code int, status string) func(*server, *Key) {
		return func(s *server, _ *Key) {
			s.answer = func(w http.ResponseWriter, _ *http.Request) { fail(w, code, status) }
		}
	}
	writes := func(text string) func(*server, *Key) {
		return func(s *server, _ *Key) {
			s.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
		}
	}
	tests := map[string]struct {
		reason string
		change func(*server, *Key)
		want   string
	}{
		"Denied":    {"no role", says(http.StatusForbidden, "PERMISSION_DENIED"), "PERMISSION_DENIED (permit cloudkms."},
		"Disabled":  {"somebody switched it off", says(http.StatusBadRequest, "FAILED_PRECONDITION"), "enable it"},
		"Throttled": {"a quota", says(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED"), "429 Too Many Requests: RESOURCE_EXHAUSTED"},
		"Odd":       {"what is no word of Google's is not shown", says(http.StatusBadGateway, token), "502 Bad Gateway"},
		"Page":      {"a proxy is in between", writes("<html>" + coded), "not one of Cloud KMS"},
		"Empty":     {"something else answers", writes("{}"), "not one of Cloud KMS"},
		"OtherKey":  {"something else answers", writes(`{"name":"projects/x","ciphertext":"AAAA"}`), "not one of Cloud KMS"},
		"Away":      {"nobody listens", func(s *server, _ *Key) { s.Close() }, "connection refused"},
		"Nobody": {"no credentials are there", func(_ *server, k *Key) {
			k.find = func(context.Context) (oauth2.TokenSource, error) { return nil, errors.New(token) }
		}, "GOOGLE_APPLICATION_CREDENTIALS"},
	}
	for test, tc := range tests {
		t.Run(test, func(t *testing.T) {
			s, k := serve(t)
			tc.change(s, k)
			_, _, err := k.Encrypt(t.Context(), []byte(planted))
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "cannot encrypt with the key "+name) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			for _, secret := range []string{planted, coded, token} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error tells a secret: %v", err)
				}
			}
		})
	}
}

// TestPatience: a server of tokens that takes a request and says nothing keeps nobody for good, and when it is well
// again, so is the key.
func TestPatience(t *testing.T) {
	_, k := serve(t)
	k.patience = 50 * time.Millisecond
	leave := make(chan struct{})
	var well atomic.Bool
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !well.Load() {
			_, _ = io.Copy(io.Discard, r.Body)
			<-leave
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"`+token+`","token_type":"Bearer","expires_in":3600}`)
	}))
	defer tokens.Close()
	defer close(leave)
	k.find = func(ctx context.Context) (oauth2.TokenSource, error) {
		c := clientcredentials.Config{ClientID: "kms", ClientSecret: "secret", TokenURL: tokens.URL, AuthStyle: oauth2.AuthStyleInParams}
		return c.TokenSource(ctx), nil
	}
	for range 2 { // the first one leaves nothing that the second one waits for
		if _, _, err := k.Encrypt(t.Context(), []byte(planted)); err == nil || !strings.Contains(err.Error(), "does not give a token") {
			t.Fatalf("got %v", err)
		}
	}
	well.Store(true)
	k.tokens, k.patience = nil, patience // as long as a busy machine may need
	text, id := encrypt(t, k)
	decrypt(t, k, text, id)
}

func TestNames(t *testing.T) {
	for _, wrong := range []string{"", "kms", name + "/cryptoKeyVersions/1", "projects/p/locations/l/keyRings/r/cryptoKeys/k?x=y", "../" + name} {
		if _, err := Open(wrong); err == nil {
			t.Errorf("%q is taken for a key", wrong)
		}
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
