// Package oidctest runs an OpenID Connect issuer for tests.
package oidctest

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"encoding/pem"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The clients of the issuer: that of the server, and that of command lines,
// which has no secret and comes back to any port of this machine.
const (
	CLIClientID  = "causeway-cli"
	ClientID     = "causeway"
	ClientSecret = "a secret of the client"
)

// Paths at which an issuer is asked.
const (
	Discovery = "/.well-known/openid-configuration"
	Keys      = "/keys"
)

const password = "password"

// User is somebody whom the issuer knows.
type User struct {
	Subject, Name, Email string
	// Claims come besides.
	Claims map[string]any
}

// Server is an issuer.
type Server struct {
	*httptest.Server

	keeper  *keeper
	current atomic.Pointer[User]
	asked   sync.Map
	down    atomic.Bool
	held    atomic.Pointer[chan struct{}]
}

// New starts an issuer that sends browsers to the addresses that are named. It
// ends with the test.
func New(tb testing.TB, users []User, callbacks ...string) *Server {
	tb.Helper()
	s, err := Start(users, callbacks...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Release(); s.Close() })
	return s
}

// Start starts one that its caller closes.
func Start(users []User, callbacks ...string) (*Server, error) {
	s := &Server{keeper: newKeeper(users, callbacks)}
	var provider atomic.Pointer[op.Provider]
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.admit(w, r) {
			return
		}
		if r.URL.Path == "/login" {
			s.login(w, r, provider.Load())
			return
		}
		provider.Load().ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	var key [32]byte
	_, _ = rand.Read(key[:])
	p, err := op.NewProvider(&op.Config{CryptoKey: key, CodeMethodS256: true, AuthMethodPost: true}, s.keeper,
		op.StaticIssuer(s.URL), op.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		s.Close()
		return nil, err
	}
	provider.Store(p)
	return s, nil
}

// CA is the certificate of the issuer, in PEM.
func (s *Server) CA() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// TLS trusts the issuer.
func (s *Server) TLS() *tls.Config {
	return s.Client().Transport.(*http.Transport).TLSClientConfig //nolint:forcetypeassert // httptest's own
}

// admit counts a question, and holds it while the issuer is slow.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	count, _ := s.asked.LoadOrStore(r.URL.Path, &atomic.Int64{})
	count.(*atomic.Int64).Add(1) //nolint:forcetypeassert // nothing else is stored
	if held := s.held.Load(); held != nil {
		select {
		case <-*held:
		case <-r.Context().Done():
			return false
		}
	}
	if s.down.Load() {
		http.Error(w, "out of order", http.StatusServiceUnavailable)
		return false
	}
	return true
}

// Asked is how often a path was asked for.
func (s *Server) Asked(path string) int64 {
	count, ok := s.asked.Load(path)
	if !ok {
		return 0
	}
	return count.(*atomic.Int64).Load() //nolint:forcetypeassert // nothing else is stored
}

// Down lets it answer with errors, or no longer.
func (s *Server) Down(down bool) { s.down.Store(down) }

// Hold lets all questions wait until Release.
func (s *Server) Hold() { held := make(chan struct{}); s.held.Store(&held) }

// Release answers what was held.
func (s *Server) Release() {
	if held := s.held.Swap(nil); held != nil {
		close(*held)
	}
}

// Next is who signs in when a browser comes.
func (s *Server) Next(subject string) {
	u := s.keeper.users[subject]
	s.current.Store(&u)
}

// login signs in whom Next named. Where it named nobody, a person chooses.
func (s *Server) login(w http.ResponseWriter, r *http.Request, p *op.Provider) {
	id := r.URL.Query().Get("id")
	subject := r.URL.Query().Get("as")
	if next := s.current.Load(); next != nil {
		subject = next.Subject
	}
	if subject == "" {
		s.choose(w, id)
		return
	}
	if err := s.keeper.CheckUsernamePassword(subject, password, id); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	http.Redirect(w, r, op.AuthCallbackURL(p)(op.ContextWithIssuer(r.Context(), s.URL), id), http.StatusFound)
}

// people is the page on which a person says who they are.
var people = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><title>Who are you?</title><h1>Who are you?</h1>
<ul>{{range .Users}}<li><a href="/login?id={{$.ID}}&amp;as={{.Subject}}">{{.Name}}</a></li>{{end}}</ul></html>`))

func (s *Server) choose(w http.ResponseWriter, id string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = people.Execute(w, struct {
		ID    string
		Users map[string]User
	}{id, s.keeper.users})
}

// Rotate gives the issuer another key; the one of before is gone.
func (s *Server) Rotate() { s.keeper.rotate() }

// Claims are those of a good ID token for a client.
func (s *Server) Claims(subject, audience string) map[string]any {
	now := time.Now()
	return map[string]any{"iss": s.URL, "sub": subject, "aud": audience, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
}

// Sign signs an ID token with the issuer's key.
func (s *Server) Sign(tb testing.TB, claims map[string]any) string {
	tb.Helper()
	k := s.keeper.key.Load()
	return Sign(tb, jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: k.private, KeyID: k.id}}, claims)
}

// Sign signs with any key.
func Sign(tb testing.TB, key jose.SigningKey, claims map[string]any) string {
	tb.Helper()
	signer, err := jose.NewSigner(key, nil)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// keeper keeps users, the client and the key.
type keeper struct {
	*storage.Storage

	users map[string]User
	key   atomic.Pointer[key]
}

func newKeeper(users []User, callbacks []string) *keeper {
	k := &keeper{users: map[string]User{}}
	for _, u := range users {
		k.users[u.Subject] = u
	}
	k.Storage = storage.NewStorageWithClients(k, map[string]*storage.Client{
		ClientID:    storage.WebClient(ClientID, ClientSecret, callbacks...),
		CLIClientID: storage.NativeClient(CLIClientID, "http://127.0.0.1/auth/callback"),
	})
	k.rotate()
	return k
}

// GetUserByID implements storage.UserStore.
func (k *keeper) GetUserByID(id string) *storage.User {
	u, ok := k.users[id]
	if !ok {
		return nil
	}
	return &storage.User{ID: id, Username: u.Name, Password: password, Email: u.Email, EmailVerified: u.Email != ""}
}

// GetUserByUsername implements storage.UserStore: browsers name the subject.
func (k *keeper) GetUserByUsername(name string) *storage.User { return k.GetUserByID(name) }

// ExampleClientID implements storage.UserStore.
func (k *keeper) ExampleClientID() string { return "" }

// GetClientByClientID implements op.Storage.
func (k *keeper) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := k.Storage.GetClientByClientID(ctx, id)
	return client{c}, err
}

// client has all claims in the ID token.
type client struct{ op.Client }

// IDTokenUserinfoClaimsAssertion implements op.Client.
func (client) IDTokenUserinfoClaimsAssertion() bool { return true }

// LoginURL implements op.Client.
func (client) LoginURL(id string) string { return "/login?id=" + id }

// SetUserinfoFromRequest implements op.CanSetUserinfoFromRequest.
func (k *keeper) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, r op.IDTokenRequest, scopes []string) error {
	for claim, value := range k.users[r.GetSubject()].Claims {
		info.AppendClaims(claim, value)
	}
	return k.Storage.SetUserinfoFromRequest(ctx, info, r, scopes)
}

type key struct {
	id      string
	private *rsa.PrivateKey
}

func (k *keeper) rotate() {
	private, _ := rsa.GenerateKey(rand.Reader, 2048)
	k.key.Store(&key{rand.Text(), private})
}

// SigningKey implements op.Storage.
func (k *keeper) SigningKey(context.Context) (op.SigningKey, error) {
	return signing{k.key.Load()}, nil
}

// KeySet implements op.Storage.
func (k *keeper) KeySet(context.Context) ([]op.Key, error) {
	return []op.Key{public{k.key.Load()}}, nil
}

type signing struct{ *key }

// ID implements op.SigningKey.
func (s signing) ID() string { return s.id }

// SignatureAlgorithm implements op.SigningKey.
func (signing) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }

// Key implements op.SigningKey.
func (s signing) Key() any { return s.private }

type public struct{ *key }

// ID implements op.Key.
func (p public) ID() string { return p.id }

// Algorithm implements op.Key.
func (public) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }

// Use implements op.Key.
func (public) Use() string { return "sig" }

// Key implements op.Key.
func (p public) Key() any { return p.private.Public() }
