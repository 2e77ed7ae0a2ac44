package azure

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azcertificates"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azkeys"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azsecrets"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Factory opens stores.
type Factory struct {
	// Authority is where one signs in in place of Microsoft, if it is not empty.
	Authority string
	// Certificates, in PEM, are who is trusted; those of the machine without.
	Certificates []byte
	// AnyServer has vaults and registries have other names than those of Microsoft's clouds.
	AnyServer bool
	// Engine is who the engine is itself: by the token of its service account, or by the
	// machine that it runs on, as the identity of that name or the only one.
	Engine func(authType, id string) (azcore.TokenCredential, error)
}

// OfEngine opens stores for an engine.
func OfEngine() Factory { return Factory{Engine: ofEngine} }

// Open is a store.Factory. It finds out who asks.
func (f Factory) Open(ctx context.Context, text json.RawMessage, around store.Around) (provider.Reader, error) {
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	at, err := config.region()
	if err != nil {
		return nil, err
	}
	transport, err := f.connect(around)
	if err != nil {
		return nil, err
	}
	v := &Vault{}
	if v.who, err = f.identify(ctx, config, at, &v.known, transport, around); err != nil {
		return nil, err
	}
	if err := f.clients(v, config.VaultURL, transport); err != nil {
		return nil, errors.New("vaultUrl is no address of a vault")
	}
	if at.vaults == "" {
		return v, nil
	}
	_, err = v.who.token(ctx, at.vaults)
	return v, err
}

func (f Factory) clients(v *Vault, address string, transport policy.Transporter) (err error) {
	options := azcore.ClientOptions{Transport: transport, Retry: once}
	if v.secrets, err = azsecrets.NewClient(address, v.who, &azsecrets.ClientOptions{ClientOptions: options, DisableChallengeResourceVerification: f.AnyServer}); err != nil {
		return err
	}
	if v.keys, err = azkeys.NewClient(address, v.who, &azkeys.ClientOptions{ClientOptions: options, DisableChallengeResourceVerification: f.AnyServer}); err != nil {
		return err
	}
	v.certificates, err = azcertificates.NewClient(address, v.who, &azcertificates.ClientOptions{ClientOptions: options, DisableChallengeResourceVerification: f.AnyServer})
	return err
}

// once has the transport try again, which tells the last answer when the time is over.
var once = policy.RetryOptions{MaxRetries: -1}

// connect is how servers are reached. It takes nothing of the environment, which is the
// engine's and not the store's.
func (f Factory) connect(around store.Around) (*http.Client, error) {
	transport, err := around.Transport(f.Certificates)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: noting{provider.Patient(provider.Bounded(transport))}, CheckRedirect: same}, nil
}

// same follows no redirect: a token is for one server.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (f Factory) authority(at region) string {
	if f.Authority != "" {
		return f.Authority
	}
	return strings.TrimSuffix(at.authority, "/") + "/"
}

// noting keeps why there was no answer to who signs in: the client makes a text of that.
type noting struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := n.next.RoundTrip(r)
	if err != nil {
		note(r.Context(), err)
	}
	return got, err
}

type lost struct{}

// note keeps an error for who signs in.
func note(ctx context.Context, err error) {
	if box, ok := ctx.Value(lost{}).(*atomic.Pointer[error]); ok {
		box.Store(&err)
	}
}
