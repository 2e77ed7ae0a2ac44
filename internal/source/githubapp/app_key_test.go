package githubapp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// rsaKey is one, with its text as GitHub hands it out.
func rsaKey(t *testing.T) (*rsa.PrivateKey, string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// converted is a key in the form that other programs write.
func converted(t *testing.T, key crypto.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// Keys are copied, and converted, before they are in a Secret.
func TestFormsOfKeys(t *testing.T) {
	key, text := rsaKey(t)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		reason, text string
		taken        bool
	}{
		"GitHub":  {"as GitHub hands it out", text, true},
		"PKCS8":   {"as other programs write it", converted(t, key), true},
		"Windows": {"with the line ends of Windows, behind a remark", "# the key\r\n" + strings.ReplaceAll(text, "\n", "\r\n"), true},
		"Curve":   {"a key of another kind, which GitHub does not know", converted(t, curve), false},
		"Cut":     {"one that was not copied whole", text[:len(text)/2], false},
		"Other":   {"PEM of something else", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})), false},
		"OneLine": {"lines that were put together", strings.ReplaceAll(text, "\n", " "), false},
		"Nothing": {"nothing", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseKey(tc.text)
			if tc.taken && (err != nil || !got.Equal(key)) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if !tc.taken && (!gitops.IsProblem(err, gitops.Refused) || !strings.HasSuffix(err.Error(), "correct githubAppPrivateKey in the repository Secret")) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// What GitHub answers is the Secret's to correct, or nobody's. What was got before
// is not thrown away for it, nor taken for longer than it is good.
func TestWhatGitHubAnswers(t *testing.T) {
	_, text := rsaKey(t)
	now := time.Now()
	good := `{"token":"t1","expires_at":"` + now.Add(time.Hour).Format(time.RFC3339) + `"}`
	for name, tc := range map[string]struct {
		reason, body string
		status       int
		kind         gitops.ProblemKind
		fix          bool
	}{
		"Gone":     {"an App that was removed", `{}`, http.StatusNotFound, gitops.Refused, true},
		"Denied":   {"one that may not", `{"message":"suspended"}`, http.StatusForbidden, gitops.Refused, true},
		"Later":    {"too many questions", `{}`, http.StatusTooManyRequests, gitops.Unreachable, true},
		"Down":     {"an outage", `<html>`, http.StatusBadGateway, gitops.Unreachable, true},
		"Other":    {"another success is none, whatever it brings", good, http.StatusOK, gitops.Unreachable, true},
		"NoToken":  {"an answer without a token", `{"expires_at":"2026-01-01T00:00:00Z"}`, http.StatusCreated, gitops.Unreachable, true},
		"NoJSON":   {"or of another form", `<html>`, http.StatusCreated, gitops.Unreachable, true},
		"NoMoment": {"or with an end that is none", `{"token":"t1","expires_at":"soon"}`, http.StatusCreated, gitops.Unreachable, true},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := http.StatusCreated, good
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}))
			t.Cleanup(server.Close)
			at := now
			tokens, err := New(access.Credential{App: &access.App{ID: 1, Installation: 7, PrivateKey: access.Secret(text), BaseURL: server.URL}}, time.Minute, func() time.Time { return at })
			if err != nil {
				t.Fatal(err)
			}
			if got, err := tokens.Token(t.Context()); err != nil || got != "t1" {
				t.Fatalf("at first: %v", err)
			}
			status, body = tc.status, tc.body
			at = now.Add(54 * time.Minute)
			if got, err := tokens.Token(t.Context()); err != nil || got != "t1" {
				t.Errorf("%s: while the token is good: %v", tc.reason, err)
			}
			at = now.Add(56 * time.Minute)
			got, err := tokens.Token(t.Context())
			if got != "" || !gitops.IsProblem(err, tc.kind) || strings.Contains(err.Error(), "t1") || strings.Contains(err.Error(), fix) != tc.fix {
				t.Errorf("%s: %q, %v", tc.reason, got.Reveal(), err)
			}
		})
	}
}
