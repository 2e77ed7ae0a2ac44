package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Name of the provider in a SecretStore.
const Name = "webhook"

// Config is what a SecretStore says of it. URL, Headers, Body and the JSONPath are
// templates that see .remoteRef, and Secrets by their names here.
type Config struct {
	URL        string            `json:"url"`
	Method     string            `json:"method,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       string            `json:"body,omitempty"`
	Timeout    string            `json:"timeout,omitempty"`
	Result     Result            `json:"result"`
	Secrets    []Secret          `json:"secrets,omitempty"`
	CABundle   []byte            `json:"caBundle,omitempty"`
	CAProvider *esv1.CAProvider  `json:"caProvider,omitempty"`
	Auth       json.RawMessage   `json:"auth,omitempty"`
}

// Result says where in an answer the value is.
type Result struct {
	JSONPath string `json:"jsonPath,omitempty"`
}

// Secret is one that templates see.
type Secret struct {
	Name      string                 `json:"name"`
	SecretRef esv1.SecretKeySelector `json:"secretRef"`
}

// label has to be on Secrets that templates may see: an address may take them anywhere.
const label, labelled = "external-secrets.io/type", "webhook"

const defaultTimeout = 5 * time.Second

// Open is a store.Factory.
func Open(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
	return open(ctx, text, around, func(next http.RoundTripper) http.RoundTripper { return next })
}

// open has what is kept of answers be bounded: by who reads them, or by where they come from.
func open(ctx context.Context, text json.RawMessage, around store.Around, bounded func(http.RoundTripper) http.RoundTripper) (*Provider, error) {
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	switch {
	case config.URL == "":
		return nil, errors.New("url is empty")
	case len(config.Auth) > 0:
		return nil, errors.New("auth.ntlm is not supported: put the credential into headers")
	}
	timeout := defaultTimeout
	if config.Timeout != "" {
		var err error
		if timeout, err = time.ParseDuration(config.Timeout); err != nil || timeout <= 0 {
			return nil, fmt.Errorf("timeout %q is no duration such as 10s", config.Timeout)
		}
	}
	certificates, err := around.Certificates(ctx, config.CABundle, config.CAProvider)
	if err != nil {
		return nil, err
	}
	transport, err := around.Transport(certificates)
	if err != nil {
		return nil, err
	}
	p := &Provider{config: config, render: around.Render, client: &http.Client{Transport: bounded(transport), Timeout: timeout, CheckRedirect: stay}}
	p.secrets, err = visible(ctx, config.Secrets, around)
	return p, err
}

var (
	errElsewhere = errors.New("the server redirects to another one: put that one's address into url")
	errRedirects = errors.New("the server redirects again and again")
)

// stay follows redirects within a server: another one would be sent the headers, and
// what templates have put into them.
func stay(r *http.Request, via []*http.Request) error {
	const most = 5
	switch first := via[0].URL; {
	case len(via) > most:
		return errRedirects
	case r.URL.Scheme != first.Scheme || r.URL.Host != first.Host:
		return errElsewhere
	}
	return nil
}

// visible are the values of the Secrets that templates see.
func visible(ctx context.Context, secrets []Secret, around store.Around) (map[string]any, error) {
	out := make(map[string]any, len(secrets))
	for i, one := range secrets {
		data, err := around.Labelled(ctx, one.SecretRef, label, labelled)
		if err != nil {
			return nil, fmt.Errorf("secrets[%d]: %w", i, err)
		}
		out[one.Name] = data
	}
	return out, nil
}
