// Package codecommit lists the AWS CodeCommit repositories of a region.
//
// It asks for no more than Argo CD does, so that the same IAM policy is
// enough: codecommit:ListRepositories, GetRepository, ListBranches and
// GetFolder, and tag:GetResources where there are tag filters.
package codecommit

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/codecommit"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// timeout bounds one request.
const timeout = time.Minute

// TagFilter selects repositories by a tag; by any value where Value is empty.
type TagFilter struct{ Key, Value string }

// Options describe a region, as scmProvider's awsCodeCommit does.
type Options struct {
	// TagFilters all have to match; those with one key are alternatives.
	// Without any all repositories are listed.
	TagFilters []TagFilter
	// Role is the ARN of a role to take.
	Role string
	// Region to list; the environment's when empty.
	Region string
	// CloneProtocol is ssh, which is the default, https or https-fips.
	CloneProtocol string

	// Config is how to reach AWS; what the environment, the shared files and
	// the machine say when nil.
	Config *aws.Config
}

// Client reads a region. It implements host.Forge.
type Client struct {
	o        Options
	subject  string
	api      *codecommit.Client
	tags     *tagging.Client
	cloneURL func(https, ssh string) (string, error)
}

// New makes a Client; it asks AWS nothing yet.
func New(o Options) (*Client, error) {
	clone, ok := protocols[o.CloneProtocol]
	if !ok {
		return nil, gitops.Problemf(gitops.Invalid, "cannot list AWS CodeCommit repositories: cloneProtocol %q is unknown", o.CloneProtocol).Do("set cloneProtocol to ssh, https or https-fips")
	}
	cfg, err := configure(context.Background(), o)
	if err != nil {
		return nil, err
	}
	subject := "the AWS CodeCommit repositories of region " + cfg.Region
	if o.Role != "" {
		subject += " as " + o.Role
	}
	return &Client{o: o, subject: subject, api: codecommit.NewFromConfig(cfg), tags: tagging.NewFromConfig(cfg), cloneURL: clone}, nil
}

// configure reads files and the environment; it sends nothing.
func configure(ctx context.Context, o Options) (aws.Config, error) {
	var cfg aws.Config
	if o.Config != nil {
		cfg = o.Config.Copy()
	}
	if o.Config == nil {
		var err error
		if cfg, err = config.LoadDefaultConfig(ctx); err != nil {
			return cfg, gitops.Problemf(gitops.Invalid, "cannot read the AWS configuration of the environment: %w", err).Do("correct the AWS_* variables or the shared configuration files")
		}
	}
	cfg.HTTPClient = bounded{patient(cfg.HTTPClient)}
	home := cfg.Region
	if o.Region != "" {
		cfg.Region = o.Region
	}
	if cfg.Region == "" {
		return cfg, gitops.Problemf(gitops.Invalid, "cannot list AWS CodeCommit repositories: no region is known").Do("set region, or AWS_REGION in the environment")
	}
	if o.Role != "" {
		cfg.Credentials = assume(cfg, home, o.Role)
	}
	if cfg.Credentials != nil {
		cfg.Credentials = named{cfg.Credentials}
	}
	return cfg, nil
}

// assume takes the role in the region that the engine itself runs in.
func assume(cfg aws.Config, home, role string) aws.CredentialsProvider {
	at := cfg.Copy()
	if home != "" {
		at.Region = home
	}
	return aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(at), role, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName = "causeway"
	}))
}

// patient bounds the time of a request, where the client has no bound of its own.
func patient(c aws.HTTPClient) aws.HTTPClient {
	if c == nil {
		c = awshttp.NewBuildableClient()
	}
	if b, ok := c.(*awshttp.BuildableClient); ok && b.GetTimeout() == 0 {
		return b.WithTimeout(timeout)
	}
	return c
}
