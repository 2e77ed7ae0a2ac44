package azure

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azkeys"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Config is a key of a vault.
type Config struct {
	// Vault is the host of a vault, or of a managed HSM: causeway.vault.azure.net.
	Vault string
	// Key is the name of an RSA key.
	Key string
}

// Key is one of Azure. Its id names the version, which decrypts.
type Key struct {
	base, name string
	client     *azkeys.Client
}

// way is how keys encrypt: keys of vaults are RSA's.
var way = azkeys.EncryptionAlgorithmRSAOAEP256

const (
	// retries are few: API servers ask again themselves, and wait for seconds only.
	retries = 1
	delay   = 200 * time.Millisecond
	longest = 2 * time.Second
)

// Open takes its credentials from where Azure's own tools do: the environment, a workload identity, or the identity of
// the machine. It asks for none yet.
func Open(c Config) (*Key, error) {
	who, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, errors.New("cannot read who asks Azure from the environment: set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE, or let the machine have an identity")
	}
	transport, is := http.DefaultTransport.(*http.Transport)
	if !is {
		return nil, errors.New("the program has no transport to make one of")
	}
	return open(c, who, transport.Clone())
}

func open(c Config, who azcore.TokenCredential, transport *http.Transport) (*Key, error) {
	if c.Vault == "" || c.Key == "" || strings.Contains(c.Key, "/") {
		return nil, errors.New("name a vault and a key in it, such as azure://causeway.vault.azure.net/kms")
	}
	base := "https://" + c.Vault
	options := &azkeys.ClientOptions{ClientOptions: azcore.ClientOptions{
		Transport: &http.Client{Transport: provider.Bounded(transport), CheckRedirect: same},
		Retry:     policy.RetryOptions{MaxRetries: retries, RetryDelay: delay, MaxRetryDelay: longest},
		Telemetry: policy.TelemetryOptions{Disabled: true},
	}}
	client, err := azkeys.NewClient(base, who, options)
	if err != nil {
		return nil, err
	}
	return &Key{base: base + "/keys/" + c.Key + "/", name: c.Key, client: client}, nil
}

// same follows no redirect: a token is for one server.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Encrypt implements kms.Key. It uses the latest version of the key.
func (k *Key) Encrypt(ctx context.Context, plain []byte) (text []byte, id string, err error) {
	out, err := k.client.Encrypt(ctx, k.name, "", azkeys.KeyOperationParameters{Algorithm: &way, Value: plain}, nil)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("cannot encrypt with the key %s: %w", k.base, explain(ctx, err))
	case out.KID == nil || len(out.Result) == 0 || !strings.HasPrefix(string(*out.KID), k.base):
		return nil, "", fmt.Errorf("cannot encrypt with the key %s: the answer is not one of Azure Key Vault", k.base)
	}
	return out.Result, string(*out.KID), nil
}

// Decrypt implements kms.Key.
func (k *Key) Decrypt(ctx context.Context, text []byte, id string) ([]byte, error) {
	version, is := strings.CutPrefix(id, k.base)
	if !is {
		return nil, fmt.Errorf("cannot decrypt what was encrypted with the key %s: this is %s: start this plugin with the former key, and another one with this key for a provider of another name", id, k.base)
	}
	out, err := k.client.Decrypt(ctx, k.name, version, azkeys.KeyOperationParameters{Algorithm: &way, Value: text}, nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot decrypt with the key %s: %w", id, explain(ctx, err))
	case len(out.Result) == 0:
		return nil, fmt.Errorf("cannot decrypt with the key %s: the answer is not one of Azure Key Vault", id)
	}
	return out.Result, nil
}

// explain says why Azure did not do it. Its client's own errors have whole answers, which may repeat what was sent.
func explain(ctx context.Context, err error) error {
	var (
		answer *azcore.ResponseError
		who    *azidentity.AuthenticationFailedError
		dial   *net.OpError
	)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("azure does not answer in time: %w", ctx.Err())
	case errors.As(err, &who):
		return errors.New("azure does not accept who asks: look at the identity of this process")
	case errors.As(err, &answer):
		said := fmt.Sprintf("the server answers %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
		if answer.ErrorCode != "" {
			said += ": " + answer.ErrorCode
		}
		if do := advice[answer.StatusCode]; do != "" {
			said += " (" + do + ")"
		}
		return errors.New(said)
	case errors.As(err, &dial):
		return errors.New(dial.Error())
	default:
		return errors.New("the answer is not one of Azure Key Vault, or who asks is not known there")
	}
}

// advice is what to do, by the status of an answer.
var advice = map[int]string{
	http.StatusForbidden: "permit encrypt and decrypt of keys to who asks, as the role Key Vault Crypto User does; a key that is disabled is refused, too",
	http.StatusNotFound:  "there is no such key in this vault, or no such version of it any more",
}
