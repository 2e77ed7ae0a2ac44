package generator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// githubSpec is what a GithubAccessToken says.
type githubSpec struct {
	URL          string            `json:"url"`
	AppID        string            `json:"appID"`
	InstallID    string            `json:"installID"`
	Repositories []string          `json:"repositories"`
	Permissions  map[string]string `json:"permissions"`
	Auth         struct {
		PrivateKey struct {
			SecretRef esv1.SecretKeySelector `json:"secretRef"`
		} `json:"privateKey"`
	} `json:"auth"`
}

const (
	// behind is how far GitHub's clock may be behind, and signed how long GitHub may take
	// a signature for: ten minutes at most.
	behind = time.Minute
	signed = 8 * time.Minute
	// patience is how long GitHub may take.
	patience = 30 * time.Second
	// mostSaid of an answer is read, in bytes: it lists all repositories of a token.
	mostSaid = 4 << 20
)

// GitHub makes a token of an installation of a GitHub App, under the key "token". It
// counts for an hour.
// https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app.
func GitHub(ctx context.Context, text json.RawMessage, around store.Around) (map[string][]byte, error) {
	var spec githubSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	address, err := spec.address()
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	known := &provider.Known{}
	proof, err := spec.sign(ctx, around, known)
	if err != nil {
		return nil, fmt.Errorf("spec.auth.privateKey.secretRef: %w", err)
	}
	transport, err := around.Transport(nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	token, err := spec.ask(ctx, address, proof, provider.Patient(provider.Bounded(transport)), known)
	if err != nil {
		return nil, fmt.Errorf("cannot get a token of installation %s of GitHub App %s: %w", spec.InstallID, spec.AppID, err)
	}
	return map[string][]byte{"token": []byte(token)}, nil
}

var numbers = regexp.MustCompile(`^[A-Za-z0-9._\-]+$`)

// address is where GitHub makes tokens: that of its API, for the address of an instance.
func (s githubSpec) address() (string, error) {
	switch {
	case !numbers.MatchString(s.AppID):
		return "", errors.New("set appID to the number of the App, as a text")
	case !numbers.MatchString(s.InstallID):
		return "", errors.New("set installID to the number of the installation, as a text")
	}
	server := "https://api.github.com"
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
			return "", errors.New("url is no address such as https://github.example.com")
		}
		server = api(u)
	}
	return server + "/app/installations/" + s.InstallID + "/access_tokens", nil
}

// api is the address of the API of an instance.
func api(u *url.URL) string {
	path := strings.TrimSuffix(u.Path, "/")
	switch host := strings.ToLower(u.Hostname()); {
	case host == "github.com" || host == "www.github.com":
		return "https://api.github.com"
	case strings.HasSuffix(host, ".ghe.com") && !strings.HasPrefix(host, "api."):
		return u.Scheme + "://api." + u.Host
	case path == "" && !strings.HasPrefix(host, "api."):
		path = "/api/v3" // of GitHub Enterprise Server
	}
	return u.Scheme + "://" + u.Host + path
}

// sign proves to be the App.
func (s githubSpec) sign(ctx context.Context, around store.Around, known *provider.Known) (string, error) {
	text, err := around.Secret(ctx, s.Auth.PrivateKey.SecretRef)
	if err != nil {
		return "", err
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(text))
	if err != nil {
		return "", errors.New("the Secret has no RSA private key in PEM")
	}
	now := time.Now()
	proof, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		Issuer: s.AppID, IssuedAt: jwt.NewNumericDate(now.Add(-behind)), ExpiresAt: jwt.NewNumericDate(now.Add(signed)),
	}).SignedString(key)
	if err != nil {
		return "", errors.New("the key signs nothing")
	}
	known.Source()(proof)
	return proof, nil
}

func (s githubSpec) ask(ctx context.Context, address, proof string, transport http.RoundTripper, known *provider.Known) (string, error) {
	body, err := json.Marshal(struct {
		Repositories []string          `json:"repositories,omitempty"`
		Permissions  map[string]string `json:"permissions,omitempty"`
	}{s.Repositories, s.Permissions})
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(string(body)))
	if err != nil {
		return "", errors.New("url is no address")
	}
	r.Header.Set("Authorization", "Bearer "+proof)
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("X-Github-Api-Version", "2022-11-28")
	r.Header.Set("User-Agent", "causeway")
	got, err := transport.RoundTrip(r) // which follows no redirect: the proof is for one server
	if err != nil {
		return "", lost(ctx, err)
	}
	defer got.Body.Close()
	var said struct {
		Token   string `json:"token"`
		Message string `json:"message"`
	}
	read := json.NewDecoder(io.LimitReader(got.Body, mostSaid)).Decode(&said)
	status := fmt.Sprintf("%d %s", got.StatusCode, http.StatusText(got.StatusCode))
	switch {
	case got.StatusCode != http.StatusCreated && read == nil && said.Message != "":
		return "", errors.New(known.Short(fmt.Sprintf("GitHub answers %s: %s", status, said.Message)))
	case got.StatusCode != http.StatusCreated:
		return "", fmt.Errorf("the server answers %s", status)
	case read != nil || said.Token == "": // what cannot be read is not told: it may be a half token
		return "", errors.New("the answer has no token")
	}
	return said.Token, nil
}

// lost is an error of a connection.
func lost(ctx context.Context, err error) error {
	var op *net.OpError
	switch {
	case ctx.Err() != nil:
		return errors.New("the server does not answer within the time that there is")
	case errors.As(err, &op):
		return op
	default:
		return errors.New("cannot connect, or the answer is none")
	}
}
