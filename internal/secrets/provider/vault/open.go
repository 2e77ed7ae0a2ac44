package vault

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/vault/api"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/aws"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Open is a store.Factory, for who is at AWS what the engine's environment says.
func Open(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
	return Factory{Sign: aws.OfEngine().SignCaller}.Open(ctx, text, around)
}

// Factory opens stores.
type Factory struct{ Sign SignCaller }

// Open is a store.Factory. It logs in.
func (f Factory) Open(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	client, err := connect(ctx, config, around)
	if err != nil {
		return nil, err
	}
	p := &Provider{config: config, client: client, around: around, sign: f.Sign}
	return p, p.logIn(ctx)
}

// connect is a client without a token. It takes nothing of the environment, which is
// the engine's and not the store's.
func connect(ctx context.Context, config Config, around store.Around) (*api.Client, error) {
	certificates, err := around.Certificates(ctx, config.CABundle, config.CAProvider)
	if err != nil {
		return nil, err
	}
	transport, err := around.Transport(certificates)
	if err != nil {
		return nil, err
	}
	if err := present(ctx, config, around, transport); err != nil {
		return nil, err
	}
	client, err := api.NewClient(&api.Config{
		Address: config.Server, HttpClient: &http.Client{Transport: provider.Bounded(transport), CheckRedirect: same}, MaxRetries: retries,
	})
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	client.ClearToken()
	client.ClearNamespace()
	client.SetHeaders(http.Header{api.RequestHeaderName: {"true"}})
	if config.Namespace != "" {
		client.SetNamespace(config.Namespace)
	}
	for name, value := range config.Headers {
		client.AddHeader(name, value)
	}
	if config.ForwardInconsistent {
		client.AddHeader(api.HeaderInconsistent, "forward-active-node")
	}
	client.SetReadYourWrites(config.ReadYourWrites)
	return client, nil
}

const retries = 2

// same follows no redirect: the library does that itself, to hosts of the same scheme.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// present has a transport show a certificate: the one for the login, or the one that
// the server wants of all.
func present(ctx context.Context, config Config, around store.Around, transport *http.Transport) error {
	certificate, key := config.TLS.CertSecretRef, config.TLS.KeySecretRef
	if config.Auth != nil && config.Auth.Cert != nil {
		certificate, key = &config.Auth.Cert.ClientCert, &config.Auth.Cert.SecretRef
	}
	if certificate == nil && key == nil {
		return nil
	}
	if certificate == nil || key == nil {
		return errors.New("a client's certificate needs certSecretRef and keySecretRef")
	}
	pair, err := pairOf(ctx, around, *certificate, *key)
	if err != nil {
		return err
	}
	transport.TLSClientConfig.Certificates = []tls.Certificate{pair}
	return nil
}

func pairOf(ctx context.Context, around store.Around, certificate, key esv1.SecretKeySelector) (tls.Certificate, error) {
	public, err := around.Secret(ctx, certificate)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := around.Secret(ctx, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair([]byte(public), []byte(private))
	if err != nil {
		return tls.Certificate{}, errors.New("the client's certificate and its key do not belong together, or are not in PEM")
	}
	return pair, nil
}
