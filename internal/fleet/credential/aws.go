package credential

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// AWS gets tokens of EKS: an address that asks AWS who has signed it. It is
// signed here, so no helper program is needed.
type AWS struct {
	// Cluster is the name in EKS.
	Cluster string
	// Role is assumed when it is not empty: its ARN.
	Role string
	// Profile and Region of the machine's configuration, when they are not empty.
	Profile, Region string
	// AccessKey, SecretKey and Session are used instead of what the machine has.
	AccessKey, SecretKey, Session string
}

// What EKS expects of a token.
const (
	awsPrefix  = "k8s-aws-v1."
	awsHeader  = "x-k8s-aws-id"
	awsExpires = "60" // seconds; AWS wants it and does not look at it
	// awsLife is how long AWS takes a signature, without the last minute.
	awsLife = 14 * time.Minute
)

// Get signs an address.
func (a AWS) Get(ctx context.Context) (Credential, error) {
	cfg, err := config.LoadDefaultConfig(ctx, a.options()...)
	if err != nil {
		return Credential{}, awsProblem("read the configuration of AWS", err)
	}
	cfg.HTTPClient = briefly(cfg.HTTPClient)
	if a.Role != "" {
		cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), a.Role))
		if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
			return Credential{}, awsProblem("assume role "+a.Role, err)
		}
	}
	start := time.Now()
	signed, err := sts.NewPresignClient(sts.NewFromConfig(cfg)).PresignGetCallerIdentity(ctx, &sts.GetCallerIdentityInput{}, a.presign)
	if err != nil {
		return Credential{}, awsProblem("sign for cluster "+a.Cluster, err)
	}
	return Credential{Token: awsPrefix + base64.RawURLEncoding.EncodeToString([]byte(signed.URL)), Expires: start.Add(awsLife)}, nil
}

func (a AWS) options() []func(*config.LoadOptions) error {
	var out []func(*config.LoadOptions) error
	if a.Profile != "" {
		out = append(out, config.WithSharedConfigProfile(a.Profile))
	}
	if a.Region != "" {
		out = append(out, config.WithRegion(a.Region))
	}
	if a.AccessKey != "" {
		out = append(out, config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(a.AccessKey, a.SecretKey, a.Session)))
	}
	return out
}

// presign signs the cluster's name, too: the token is good for no other one.
func (a AWS) presign(o *sts.PresignOptions) {
	o.ClientOptions = append(o.ClientOptions, func(o *sts.Options) {
		o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue(awsHeader, a.Cluster), smithyhttp.SetHeaderValue("X-Amz-Expires", awsExpires))
	})
}

// awsProblem leaves out request ids and addresses: they change with each try.
func awsProblem(what string, err error) error {
	var api smithy.APIError
	if errors.As(err, &api) {
		return fmt.Errorf("cannot %s: %s: %s", what, api.ErrorCode(), api.ErrorMessage())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("cannot %s: AWS does not answer", what)
	}
	var missing *aws.MissingRegionError
	if errors.As(err, &missing) {
		return fmt.Errorf("cannot %s: set a region with AWS_REGION", what)
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}
