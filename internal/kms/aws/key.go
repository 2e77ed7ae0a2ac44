package aws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Config is a key of a region.
type Config struct {
	// Key is an ARN, an id, or an alias with alias/ before it, which may be of another key tomorrow.
	Key string
	// Region of the key; what the environment says if it is empty and the ARN tells none.
	Region string
}

// client is what is asked of AWS.
type client interface {
	Encrypt(ctx context.Context, in *kms.EncryptInput, opts ...func(*kms.Options)) (*kms.EncryptOutput, error)
	Decrypt(ctx context.Context, in *kms.DecryptInput, opts ...func(*kms.Options)) (*kms.DecryptOutput, error)
}

// Key is one of AWS KMS. Its id is its ARN, also where it is asked for by an alias. AWS itself finds the version.
type Key struct {
	name   string
	client client
}

const (
	// tries are few: API servers ask again themselves, and wait for seconds only.
	tries   = 3
	backoff = time.Second
)

// Open takes its credentials from where AWS's own tools do: the environment, files, the role of a service account, of a
// container or of the machine. It asks for none yet.
func Open(ctx context.Context, c Config) (*Key, error) {
	if c.Key == "" {
		return nil, errors.New("name a key: its ARN, its id, or an alias such as alias/causeway")
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration of AWS: %w", err)
	}
	if region := regionOf(c); region != "" {
		cfg.Region = region
	}
	if cfg.Region == "" {
		return nil, fmt.Errorf("cannot tell the region of the key %s: write region=eu-central-1, or its ARN", c.Key)
	}
	transport, is := http.DefaultTransport.(*http.Transport)
	if !is {
		return nil, errors.New("the program has no transport to make one of")
	}
	cfg.HTTPClient = &http.Client{Transport: provider.Bounded(transport.Clone()), CheckRedirect: same}
	cfg.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = tries, backoff })
	}
	return &Key{name: c.Key, client: kms.NewFromConfig(cfg)}, nil
}

// same follows no redirect: what is signed is for one server.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// regionOf is the region that the configuration names, or the ARN: arn:aws:kms:REGION:ACCOUNT:key/ID.
func regionOf(c Config) string {
	if c.Region != "" {
		return c.Region
	}
	if parts := strings.Split(c.Key, ":"); len(parts) > 5 && parts[0] == "arn" { //nolint:mnd // those of an ARN
		return parts[3]
	}
	return ""
}

// Encrypt implements kms.Key.
func (k *Key) Encrypt(ctx context.Context, plain []byte) (text []byte, id string, err error) {
	out, err := k.client.Encrypt(ctx, &kms.EncryptInput{KeyId: &k.name, Plaintext: plain})
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("cannot encrypt with the key %s: %w", k.name, explain(ctx, err))
	case out.KeyId == nil || len(out.CiphertextBlob) == 0:
		return nil, "", fmt.Errorf("cannot encrypt with the key %s: the answer is not one of AWS KMS", k.name)
	}
	return out.CiphertextBlob, *out.KeyId, nil
}

// Decrypt implements kms.Key. The key is the one that encrypted, also where the alias is of another one by now.
func (k *Key) Decrypt(ctx context.Context, text []byte, id string) ([]byte, error) {
	out, err := k.client.Decrypt(ctx, &kms.DecryptInput{KeyId: &id, CiphertextBlob: text})
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot decrypt with the key %s: %w", id, explain(ctx, err))
	case len(out.Plaintext) == 0:
		return nil, fmt.Errorf("cannot decrypt with the key %s: the answer is not one of AWS KMS", id)
	}
	return out.Plaintext, nil
}
