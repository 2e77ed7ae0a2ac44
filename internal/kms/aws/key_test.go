package aws

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

const planted = "planted-seed-of-thirty-two-bytes"

// TestAlias: the id is that of the key, so that an alias which is moved to another key is a rotation, and what the
// former key encrypted is decrypted with that.
func TestAlias(t *testing.T) {
	s := serve(t)
	k := open(t, Config{Key: "alias/causeway", Region: "eu-central-1"})
	old, before := encrypt(t, k)
	if before != arn+"one" || strings.Contains(string(old), planted) {
		t.Errorf("it encrypts with %s to %s", before, old)
	}
	s.set(func(s *server) { s.aliases["alias/causeway"] = arn + "two" })
	renewed, after := encrypt(t, k)
	if after != arn+"two" {
		t.Errorf("after a rotation it encrypts with %s", after)
	}
	decrypt(t, k, old, before)
	decrypt(t, k, renewed, after)
	if _, err := k.Decrypt(t.Context(), old, after); err == nil || !strings.Contains(err.Error(), "encrypted with another key") {
		t.Errorf("with the wrong key: %v", err)
	}
	if who := s.who[0]; !strings.Contains(who, "AKIAPLANTED/") || !strings.Contains(who, "/eu-central-1/kms/") {
		t.Errorf("asks %s", who)
	}
}

func TestRegionOfARN(t *testing.T) {
	s := serve(t)
	encrypt(t, open(t, Config{Key: arn + "one"}))
	if !strings.Contains(s.who[0], "/eu-central-1/kms/") {
		t.Errorf("asks %s", s.who[0])
	}
}

// TestThrottling: a request that is refused for a moment is tried again, and not without end.
func TestThrottling(t *testing.T) {
	s := serve(t)
	k := open(t, Config{Key: arn + "one"})
	s.refuse = []string{"ThrottlingException", "ThrottlingException"}
	encrypt(t, k)
	s.set(func(s *server) {
		s.asked = nil
		s.refuse = []string{"ThrottlingException", "ThrottlingException", "ThrottlingException", "ThrottlingException"}
	})
	if _, _, err := k.Encrypt(t.Context(), []byte(planted)); err == nil || !strings.Contains(err.Error(), "ThrottlingException") {
		t.Errorf("got %v", err)
	}
	if len(s.asked) != tries {
		t.Errorf("it asked %d times", len(s.asked))
	}
}

// TestFailures: an error says what, why and what to do, and nothing that is secret.
func TestFailures(t *testing.T) {
	coded := base64.StdEncoding.EncodeToString([]byte(planted))
	tests := map[string]struct {
		reason string
		change func(*server)
		want   string
	}{
		"Denied":   {"a policy", func(s *server) { s.states[arn+"one"] = "AccessDeniedException" }, "permit kms:Encrypt and kms:Decrypt"},
		"Disabled": {"somebody switched it off", func(s *server) { s.states[arn+"one"] = "DisabledException" }, "enable the key"},
		"Deleted":  {"somebody will have it deleted", func(s *server) { s.states[arn+"one"] = "KMSInvalidStateException" }, "cancel that"},
		"Missing":  {"a typo", func(s *server) { clear(s.aliases) }, "there is no such key in this region"},
		"Away":     {"nobody listens", func(s *server) { s.CloseClientConnections(); _ = s.Listener.Close() }, "connection refused"},
		"Page": {"a proxy is in between", func(s *server) {
			s.answer = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte("<html>" + coded))
			}
		}, "403 Forbidden"},
		"Repeats": {"servers quote what they refuse", func(s *server) {
			s.answer = func(w http.ResponseWriter, r *http.Request) {
				fail(w, "ValidationException", "cannot use "+coded+" of "+r.Header.Get("X-Amz-Security-Token"))
			}
		}, "ValidationException"},
		"RepeatsAsCode": {"something else answers", func(s *server) {
			s.answer = func(w http.ResponseWriter, _ *http.Request) { fail(w, coded, "") }
		}, "400 Bad Request"},
		"Odd": {"something else answers", func(s *server) {
			s.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"Plaintext": "` + coded)) }
		}, "not one of AWS"},
		"Empty": {"something else answers", func(s *server) {
			s.answer = func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]any{}) }
		}, "not one of AWS KMS"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			k := open(t, Config{Key: "alias/causeway", Region: "eu-central-1"})
			s.set(tc.change)
			_, _, err := k.Encrypt(t.Context(), []byte(planted))
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "cannot encrypt with the key alias/causeway") {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			for _, secret := range []string{planted, coded, "planted-key-of-aws"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error tells a secret: %v", err)
				}
			}
		})
	}
}

func TestNobody(t *testing.T) {
	serve(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, _, err := open(t, Config{Key: arn + "one"}).Encrypt(t.Context(), []byte(planted))
	if err == nil || !strings.Contains(err.Error(), "there are no credentials") {
		t.Errorf("got %v", err)
	}
}

func TestPatience(t *testing.T) {
	s := serve(t)
	k := open(t, Config{Key: arn + "one"})
	entered, leave := make(chan struct{}, 1), make(chan struct{})
	s.answer = func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-leave }
	defer close(leave)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, _, err := k.Encrypt(ctx, []byte(planted))
		failed <- err
	}()
	<-entered
	cancel()
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "not answer in time") {
		t.Errorf("got %v", err)
	}
}

func open(t *testing.T, c Config) *Key {
	t.Helper()
	k, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return k
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
