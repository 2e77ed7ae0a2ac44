package aws

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Endpoints are addresses in place of AWS's own, where they are not empty.
type Endpoints struct{ SecretsManager, ParameterStore, STS, ECR, ECRPublic string }

// Factory opens stores.
type Factory struct {
	Endpoints Endpoints
	// Engine is who the engine is itself.
	Engine func(ctx context.Context, region string) (aws.CredentialsProvider, error)
}

// OfEngine opens stores for an engine, with what its environment says.
func OfEngine() Factory {
	return Factory{Engine: ofEngine, Endpoints: Endpoints{
		SecretsManager: os.Getenv("AWS_SECRETSMANAGER_ENDPOINT"), ParameterStore: os.Getenv("AWS_SSM_ENDPOINT"), STS: os.Getenv("AWS_STS_ENDPOINT"),
		ECR: os.Getenv("AWS_ECR_ENDPOINT"), ECRPublic: os.Getenv("AWS_ECR_PUBLIC_ENDPOINT"),
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
	cfg, a, err := f.signIn(ctx, config, around)
	if err != nil {
		return nil, err
	}
	if config.Service == parameterStore {
		return &parameters{a, ssm.NewFromConfig(cfg, func(o *ssm.Options) { o.BaseEndpoint = given(f.Endpoints.ParameterStore) })}, nil
	}
	return &manager{a, secretsmanager.NewFromConfig(cfg, func(o *secretsmanager.Options) { o.BaseEndpoint = given(f.Endpoints.SecretsManager) })}, nil
}

// signIn finds out who asks, and how servers are reached.
func (f Factory) signIn(ctx context.Context, config Config, around store.Around) (aws.Config, *asker, error) {
	cfg, err := connect(config.Region, around)
	if err != nil {
		return aws.Config{}, nil, err
	}
	a := &asker{config: config}
	if a.credentials, err = f.credentials(ctx, cfg, a, around); err != nil {
		return aws.Config{}, nil, err
	}
	cfg.Credentials = a.credentials
	_, err = ask(ctx, a, "sign in", a.credentials.Retrieve)
	return cfg, a, err
}

func given(endpoint string) *string {
	if endpoint == "" {
		return nil
	}
	return &endpoint
}

// connect is how servers of a region are reached. It takes nothing of the environment,
// which is the engine's and not the store's.
func connect(region string, around store.Around) (aws.Config, error) {
	transport, err := around.Transport(nil)
	if err != nil {
		return aws.Config{}, err
	}
	return aws.Config{
		Region: region, HTTPClient: &http.Client{Transport: provider.Bounded(transport), CheckRedirect: same}, Retryer: retryer,
	}, nil
}

// same follows no redirect: what is signed is for one server.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

const (
	// tries of a request that is refused for a while. The context ends before, where AWS
	// says so slowly.
	tries   = 8
	backoff = 5 * time.Second
)

func retryer() aws.Retryer {
	return noting{retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
		o.StandardOptions = append(o.StandardOptions, func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff = tries, backoff
			o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(closed)}, o.Retryables...)
		})
	})}
}

// closed is about an address that stores may not ask, and never may: no network says so,
// but who dials.
func closed(err error) aws.Ternary {
	var (
		dial   *net.OpError
		number syscall.Errno
		name   *net.DNSError
	)
	if errors.As(err, &dial) && dial.Op == "dial" && !dial.Timeout() && !errors.As(err, &number) && !errors.As(err, &name) {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// noting keeps the last error of a request that was tried again, as what ends that is
// the context, which does not know why.
type noting struct{ aws.RetryerV2 }

// GetRetryToken implements aws.Retryer.
func (n noting) GetRetryToken(ctx context.Context, err error) (func(error) error, error) {
	if last, ok := ctx.Value(lastTry{}).(*atomic.Pointer[error]); ok {
		last.Store(&err)
	}
	return n.RetryerV2.GetRetryToken(ctx, err)
}

type lastTry struct{}
