package gcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"
	"google.golang.org/api/secretmanager/v1"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Endpoints are addresses in place of Google's own, where they are not empty. That of
// Accounts begins the addresses of service accounts that are acted for.
type Endpoints struct{ SecretManager, Tokens, Accounts string }

// Factory opens stores.
type Factory struct {
	Endpoints Endpoints
	// Engine gets tokens of who the engine is itself.
	Engine func(ctx context.Context) (*oauth2.Token, error)
	// Metadata is what the engine's machine is told of itself.
	Metadata func(ctx context.Context, path string) (string, error)
}

// OfEngine opens stores for an engine.
func OfEngine() Factory {
	return Factory{Engine: ofEngine, Metadata: func(ctx context.Context, path string) (string, error) {
		text, _, err := metadata(ctx, "/computeMetadata/v1/"+path)
		return text, err
	}}
}

// Open is a store.Factory. It finds out who asks.
func (f Factory) Open(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	transport, err := connect(around)
	if err != nil {
		return nil, err
	}
	p := &Provider{config: config}
	if p.who, err = f.identify(ctx, config, &p.known, transport, around); err != nil {
		return nil, err
	}
	// The client says what it sends and is answered where the environment asks for that.
	p.service, err = secretmanager.NewService(ctx, option.WithHTTPClient(&http.Client{Transport: bearer{transport}, CheckRedirect: same}),
		option.WithEndpoint(f.server(config.Location)), option.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("cannot make a client of Secret Manager: %w", err)
	}
	_, err = p.who.token(ctx)
	return p, err
}

// server is the one that has the entries.
func (f Factory) server(location string) string {
	switch {
	case f.Endpoints.SecretManager != "":
		return strings.TrimSuffix(f.Endpoints.SecretManager, "/") + "/"
	case location != "":
		return "https://secretmanager." + location + ".rep.googleapis.com/"
	default:
		return "https://secretmanager.googleapis.com/"
	}
}

// connect is how Google's servers are reached. It takes nothing of the environment, which
// is the engine's and not the store's.
func connect(around store.Around) (http.RoundTripper, error) {
	transport, err := around.Transport(nil)
	if err != nil {
		return nil, err
	}
	return provider.Patient(provider.Bounded(transport)), nil
}

// same follows no redirect: a token is for one server.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// bearer shows the token that a request is made with.
type bearer struct{ next http.RoundTripper }

type shown struct{}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	token, _ := r.Context().Value(shown{}).(string)
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := b.next.RoundTrip(r)
	if err == nil && got.StatusCode != http.StatusOK && got.StatusCode/100 == http.StatusOK/100 {
		_ = got.Body.Close() // the client takes one without content for an answer that says nothing
		return nil, errOfOthers
	}
	return got, err
}
