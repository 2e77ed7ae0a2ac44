// Package githubapp trades a GitHub App's private key for the short-lived
// tokens by which its installation reads repositories.
//
// It makes tokens and keeps them while they last; it fetches nothing.
package githubapp

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

const (
	publicAPI = "https://api.github.com"
	// early is how long before its end a token is replaced; GitHub's last an hour.
	early = 5 * time.Minute
	// leeway covers clocks that differ, as GitHub's documentation advises.
	leeway = time.Minute
	fix    = "check githubAppID, githubAppInstallationID and githubAppPrivateKey in the repository Secret"
)

// Tokens makes tokens for one installation.
type Tokens struct {
	app    access.App
	cred   access.Credential
	client *http.Client
	now    func() time.Time

	mu    sync.Mutex
	token access.Secret
	until time.Time
}

// New makes Tokens that reach GitHub as the credential's proxy and
// certificates say. The credential must have an App.
func New(cred access.Credential, timeout time.Duration, now func() time.Time) (*Tokens, error) {
	transport, err := web.Transport(cred)
	if err != nil {
		return nil, err
	}
	return &Tokens{app: *cred.App, cred: cred, client: &http.Client{Transport: transport, Timeout: timeout, CheckRedirect: stay}, now: now}, nil
}

// stay has no redirect followed: net/http would take the App's claim along to
// another port of the host, or to plain HTTP.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Token returns a token that is good for some minutes at least.
func (t *Tokens) Token(ctx context.Context) (access.Secret, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != "" && t.now().Before(t.until.Add(-early)) {
		return t.token, nil
	}
	if t.app.Installation == 0 {
		return "", gitops.Problemf(gitops.Refused, "the GitHub App's installation is not set").Do("set githubAppInstallationID in the repository Secret")
	}
	signed, err := t.claim()
	if err != nil {
		return "", err
	}
	base := t.app.BaseURL
	if base == "" {
		base = publicAPI
	}
	address := fmt.Sprintf("%s/app/installations/%d/access_tokens", base, t.app.Installation)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return "", gitops.Problemf(gitops.Invalid, "githubAppEnterpriseBaseUrl is no URL").Do("correct githubAppEnterpriseBaseUrl in the repository Secret")
	}
	req.Header.Set("Authorization", "Bearer "+signed)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("User-Agent", web.Agent)
	return t.ask(req)
}

func (t *Tokens) ask(req *http.Request) (access.Secret, error) {
	res, err := t.client.Do(req)
	if err != nil {
		return "", &gitops.Problem{Kind: gitops.Unreachable, What: "cannot get a token of the GitHub App: " + t.cred.Redact(err.Error()), Err: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return "", gitops.Problemf(gitops.Unreachable, "cannot get a token of the GitHub App: %w", err)
	}
	if res.StatusCode/100 == 3 {
		return "", gitops.Problemf(gitops.Refused, "cannot get a token of the GitHub App: %s redirects, and what proves to be the App goes nowhere else", res.Request.URL.Host).
			Do("set githubAppEnterpriseBaseUrl of the repository Secret to where the API is")
	}
	if res.StatusCode != http.StatusCreated {
		kind := gitops.Unreachable
		if res.StatusCode/100 == 4 && res.StatusCode != http.StatusTooManyRequests {
			kind = gitops.Refused
		}
		return "", gitops.Problemf(kind, "cannot get a token of the GitHub App: the server answers %s", web.Said(res)).Do(fix)
	}
	var answer struct {
		Token   string    `json:"token"`
		Expires time.Time `json:"expires_at"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Token == "" {
		return "", gitops.Problemf(gitops.Unreachable, "cannot get a token of the GitHub App: the server's answer has none").Do(fix)
	}
	t.token, t.until = access.Secret(answer.Token), answer.Expires
	return t.token, nil
}

// claim is the signed statement (RFC 7519, RS256) that proves to be the App.
func (t *Tokens) claim() (string, error) {
	key, err := parseKey(t.app.PrivateKey.Reveal())
	if err != nil {
		return "", err
	}
	now := t.now()
	claims, err := json.Marshal(map[string]any{"iat": now.Add(-leeway).Unix(), "exp": now.Add(9 * time.Minute).Unix(), "iss": strconv.FormatInt(t.app.ID, 10)})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", gitops.Problemf(gitops.Refused, "the GitHub App's private key cannot sign").Do(fix)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func parseKey(text string) (*rsa.PrivateKey, error) {
	bad := gitops.Problemf(gitops.Refused, "the GitHub App's private key is no RSA key in PEM form").Do("correct githubAppPrivateKey in the repository Secret")
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, bad
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, bad
	}
	rsaKey, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, bad
	}
	return rsaKey, nil
}
