package vault

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// proof is a login by IAM, as it is documented.
// https://developer.hashicorp.com/vault/api-docs/auth/aws#login.
type proof struct {
	Role   string `json:"role"`
	Method string `json:"iam_http_request_method"`
	URL    []byte `json:"iam_request_url"`
	Body   []byte `json:"iam_request_body"`
	// Headers are JSON in base64.
	Headers string `json:"iam_request_headers"`
}

// sent reads a login, and has a key sign what it says once more, as AWS does to compare.
func (p proof) sent(t *testing.T, region string, keys sdk.Credentials) (header http.Header, signature string) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(p.Headers)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &header); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse("20060102T150405Z", header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > 15*time.Minute {
		t.Fatalf("it is signed at %s: %v", at, err)
	}
	again, err := http.NewRequestWithContext(t.Context(), p.Method, string(p.URL), strings.NewReader(string(p.Body)))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		if name != "Authorization" && !strings.HasPrefix(name, "X-Amz-") {
			again.Header[name] = values
		}
	}
	sum := sha256.Sum256(p.Body)
	if err := signer.NewSigner().SignHTTP(t.Context(), keys, again, hex.EncodeToString(sum[:]), "sts", region, at); err != nil {
		t.Fatal(err)
	}
	return header, again.Header.Get("Authorization")
}

func TestLoginByIAM(t *testing.T) {
	all := secrets{"creds": {"token": "given", "id": "AKIDGIVEN", "key": "planted-secret-key", "session": "planted-session"}}
	keys := `"secretRef":{"accessKeyIDSecretRef":{"name":"creds","key":"id"},"secretAccessKeySecretRef":{"name":"creds","key":"key"}}`
	session := strings.Replace(keys, `"secretAccessKeySecretRef"`, `"sessionTokenSecretRef":{"name":"creds","key":"session"},"secretAccessKeySecretRef"`, 1)
	for name, tc := range map[string]struct{ reason, auth, path, region, url, server, session string }{
		"plain":   {"the server of all regions", `{"vaultRole":"app",` + keys + `}`, "auth/aws/login", "us-east-1", "https://sts.amazonaws.com/", "", ""},
		"region":  {"that of a region, and the Vault that is meant", `{"path":"cloud","region":"eu-central-1","vaultRole":"app","vaultAwsIamServerID":"vault.example.com",` + keys + `}`, "auth/cloud/login", "eu-central-1", "https://sts.eu-central-1.amazonaws.com/", "vault.example.com", ""},
		"session": {"keys of a session", `{"region":"cn-north-1","vaultRole":"app",` + session + `}`, "auth/aws/login", "cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn/", "", "planted-session"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			p := s.opened(t, `{"path":"secret","auth":{"iam":`+tc.auth+`}}`, all)
			if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
				t.Fatal(err)
			}
			path, body, _ := strings.Cut(s.logins[0], " ")
			var login proof
			if err := json.Unmarshal([]byte(body), &login); err != nil {
				t.Fatal(err)
			}
			if path != tc.path || login.Role != "app" || login.Method != http.MethodPost || string(login.URL) != tc.url || string(login.Body) != "Action=GetCallerIdentity&Version=2011-06-15" {
				t.Errorf("%s: at %s it said %s of %s to %s: %s", tc.reason, path, login.Role, login.Method, login.URL, login.Body)
			}
			header, want := login.sent(t, tc.region, sdk.Credentials{AccessKeyID: "AKIDGIVEN", SecretAccessKey: "planted-secret-key", SessionToken: tc.session})
			signed := header.Get("Authorization")
			if signed != want {
				t.Errorf("%s: it is signed %s, want %s", tc.reason, signed, want)
			}
			if header.Get(headerServerID) != tc.server || strings.Contains(signed, "x-vault-aws-iam-server-id") != (tc.server != "") {
				t.Errorf("%s: it is for %q, signed %s", tc.reason, header.Get(headerServerID), signed)
			}
			if strings.Contains(body, "planted-secret-key") || header.Get("Content-Length") != "43" {
				t.Errorf("%s: the headers are %v", tc.reason, header)
			}
		})
	}
}

// TestRefusedIAM: what Vault repeats of a login is masked.
func TestRefusedIAM(t *testing.T) {
	all := secrets{"creds": {"id": "AKIDGIVEN", "key": "planted-secret-key"}}
	s := newServer(t)
	_, err := s.open(t, `{"auth":{"iam":{"vaultRole":"wrong","secretRef":{"accessKeyIDSecretRef":{"name":"creds","key":"id"},"secretAccessKeySecretRef":{"name":"creds","key":"key"}}}}}`, all)
	var login proof
	_, body, _ := strings.Cut(s.logins[0], " ")
	if json.Unmarshal([]byte(body), &login) != nil || err == nil || !strings.Contains(err.Error(), "cannot log in at auth/aws/login") || strings.Contains(err.Error(), login.Headers) {
		t.Errorf("got %v", err)
	}
}
