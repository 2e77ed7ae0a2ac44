package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/aws-sdk-go-v2/service/sts/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// What EKS has on service accounts.
// https://docs.aws.amazon.com/eks/latest/userguide/iam-roles-for-service-accounts.html.
const (
	annotationRole     = "eks.amazonaws.com/role-arn"
	annotationAudience = "eks.amazonaws.com/audience"
	audience           = "sts.amazonaws.com"
)

const (
	// session is what AWS's own records call the engine's requests.
	session = "causeway"
	// early is how long before their end credentials are replaced.
	early = time.Minute
	// signIn is how long it may take. It goes on for the others who wait for it when who
	// asked first does not any more.
	signIn = 30 * time.Second
)

// ofEngine is the engine's own identity: that of its environment, its files, or its
// container. What the machine has under it is not the engine's.
func ofEngine(ctx context.Context, region string) (aws.CredentialsProvider, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion(region), config.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	if err != nil {
		return nil, err
	}
	return cfg.Credentials, nil
}

// credentials are who asks, after all roles were assumed.
func (f Factory) credentials(ctx context.Context, cfg aws.Config, a *asker, around store.Around) (*aws.CredentialsCache, error) {
	c := a.config
	first, err := f.first(ctx, cfg, a, around)
	if err != nil {
		return nil, err
	}
	roles := slices.Clone(c.AdditionalRoles)
	if c.Role != "" {
		roles = append(roles, c.Role)
	}
	last := a.proof("find out who asks", first)
	for i, role := range roles {
		cfg.Credentials = last
		assumed := stscreds.NewAssumeRoleProvider(f.sts(cfg), role, func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName = session
			if i == len(roles)-1 && c.Role != "" {
				o.ExternalID, o.Tags, o.TransitiveTagKeys = given(c.ExternalID), tags(c.SessionTags), c.TransitiveTagKeys
			}
		})
		last = a.proof("assume role "+role, assumed)
	}
	return last, nil
}

func tags(all []Tag) (out []types.Tag) {
	for _, t := range all {
		out = append(out, types.Tag{Key: &t.Key, Value: &t.Value})
	}
	return out
}

func (f Factory) sts(cfg aws.Config) *sts.Client {
	return sts.NewFromConfig(cfg, func(o *sts.Options) { o.BaseEndpoint = given(f.Endpoints.STS) })
}

// first is who asks before any role is assumed.
func (f Factory) first(ctx context.Context, cfg aws.Config, a *asker, around store.Around) (aws.CredentialsProvider, error) {
	switch auth := a.config.Auth; {
	case auth.JWT != nil && auth.JWT.ServiceAccountRef == nil:
		return nil, errors.New("auth.jwt: set serviceAccountRef")
	case auth.JWT != nil:
		return f.ofAccount(ctx, cfg, a, *auth.JWT.ServiceAccountRef, around)
	case auth.SecretRef != nil:
		return static(ctx, *auth.SecretRef, around)
	}
	if err := around.AsEngine(); err != nil {
		return nil, fmt.Errorf("set auth.secretRef or auth.jwt: %w", err)
	}
	if f.Engine == nil {
		return nil, errors.New("set auth.secretRef or auth.jwt: the engine has no identity of its own")
	}
	return f.Engine(ctx, a.config.Region)
}

func static(ctx context.Context, keys Keys, around store.Around) (aws.CredentialsProvider, error) {
	id, err := around.Secret(ctx, keys.AccessKeyID)
	if err != nil {
		return nil, fmt.Errorf("auth.secretRef.accessKeyIDSecretRef: %w", err)
	}
	key, err := around.Secret(ctx, keys.SecretAccessKey)
	if err != nil {
		return nil, fmt.Errorf("auth.secretRef.secretAccessKeySecretRef: %w", err)
	}
	token := ""
	if keys.SessionToken != nil {
		if token, err = around.Secret(ctx, *keys.SessionToken); err != nil {
			return nil, fmt.Errorf("auth.secretRef.sessionTokenSecretRef: %w", err)
		}
	}
	return credentials.NewStaticCredentialsProvider(id, key, token), nil
}

// ofAccount assumes the role that a service account names, with a token of it.
func (f Factory) ofAccount(ctx context.Context, cfg aws.Config, a *asker, account esv1.ServiceAccountSelector, around store.Around) (aws.CredentialsProvider, error) {
	said, err := around.Annotations(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("auth.jwt.serviceAccountRef: %w", err)
	}
	role := said[annotationRole]
	if role == "" {
		return nil, fmt.Errorf("auth.jwt.serviceAccountRef: the ServiceAccount %s names no role: set its annotation %s", account.Name, annotationRole)
	}
	wanted := cmp.Or(said[annotationAudience], audience)
	cfg.Credentials = aws.AnonymousCredentials{}
	client, add := f.sts(cfg), a.known.Source()
	return aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		token, err := around.Token(ctx, account, wanted)
		if err != nil {
			return aws.Credentials{}, &unsaid{err}
		}
		add(token)
		name := session
		out, err := client.AssumeRoleWithWebIdentity(ctx, &sts.AssumeRoleWithWebIdentityInput{RoleArn: &role, RoleSessionName: &name, WebIdentityToken: &token})
		if err != nil {
			return aws.Credentials{}, &unproven{"assume role " + role + " with a token of the ServiceAccount " + account.Name, err}
		}
		given := out.Credentials
		if given == nil || given.AccessKeyId == nil || given.SecretAccessKey == nil || given.SessionToken == nil || given.Expiration == nil {
			return aws.Credentials{}, &unsaid{errors.New("AWS gives no credentials for role " + role)}
		}
		return aws.Credentials{
			AccessKeyID: *given.AccessKeyId, SecretAccessKey: *given.SecretAccessKey, SessionToken: *given.SessionToken, CanExpire: true, Expires: *given.Expiration,
		}, nil
	}), nil
}

// proof keeps credentials until they end.
func (a *asker) proof(what string, next aws.CredentialsProvider) *aws.CredentialsCache {
	add := a.known.Source()
	return aws.NewCredentialsCache(aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		ctx, cancel := context.WithTimeout(ctx, signIn)
		defer cancel()
		got, err := next.Retrieve(ctx)
		if err != nil {
			return got, &unproven{what, err}
		}
		add(got.SecretAccessKey, got.SessionToken)
		return got, nil
	}), func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = early })
}

// unproven tells errors of getting credentials from those of using them.
type unproven struct {
	what string
	err  error
}

// Error is for nobody: see plain.
func (u *unproven) Error() string { return "cannot " + u.what }

// Unwrap is why not.
func (u *unproven) Unwrap() error { return u.err }

// unsaid is an error that is not AWS's, and can be told as it is.
type unsaid struct{ err error }

// Error implements error.
func (u *unsaid) Error() string { return u.err.Error() }

// Unwrap is what is told.
func (u *unsaid) Unwrap() error { return u.err }
