package aws

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/ecrpublic"

	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// registrySpec is what an ECRAuthorizationToken says.
type registrySpec struct {
	Region string `json:"region"`
	Auth   Auth   `json:"auth,omitzero"`
	Role   string `json:"role,omitempty"`
	// Scope is private or public; private without one.
	Scope string `json:"scope,omitempty"`
}

// RegistryToken is a generator.Maker: what logs in to a registry of images.
func (f Factory) RegistryToken(ctx context.Context, said json.RawMessage, around store.Around) (map[string][]byte, error) {
	var spec registrySpec
	if err := json.Unmarshal(said, &spec); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	err := checkRegion(spec.Region)
	if spec.Scope != "" && spec.Scope != "private" && spec.Scope != "public" {
		err = fmt.Errorf("scope %q is neither private nor public", spec.Scope)
	}
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, generating)
	defer cancel()
	cfg, a, err := f.signIn(ctx, Config{Region: spec.Region, Auth: spec.Auth, Role: spec.Role}, around)
	if err != nil {
		return nil, err
	}
	if spec.Scope == "public" {
		return f.publicRegistry(ctx, cfg, a)
	}
	return f.privateRegistry(ctx, cfg, a)
}

func (f Factory) privateRegistry(ctx context.Context, cfg aws.Config, a *asker) (map[string][]byte, error) {
	client := ecr.NewFromConfig(cfg, func(o *ecr.Options) { o.BaseEndpoint = given(f.Endpoints.ECR) })
	out, err := ask(ctx, a, "get an authorization token of ECR", func(ctx context.Context) (*ecr.GetAuthorizationTokenOutput, error) {
		return client.GetAuthorizationToken(ctx, &ecr.GetAuthorizationTokenInput{})
	})
	if err != nil {
		return nil, err
	}
	if len(out.AuthorizationData) == 0 || text(out.AuthorizationData[0].ProxyEndpoint) == "" {
		return nil, errNoLogin
	}
	one := out.AuthorizationData[0]
	values, err := login(one.AuthorizationToken, one.ExpiresAt)
	if err != nil {
		return nil, err
	}
	values["proxy_endpoint"] = []byte(*one.ProxyEndpoint)
	return values, nil
}

func (f Factory) publicRegistry(ctx context.Context, cfg aws.Config, a *asker) (map[string][]byte, error) {
	client := ecrpublic.NewFromConfig(cfg, func(o *ecrpublic.Options) { o.BaseEndpoint = given(f.Endpoints.ECRPublic) })
	out, err := ask(ctx, a, "get an authorization token of public ECR", func(ctx context.Context) (*ecrpublic.GetAuthorizationTokenOutput, error) {
		return client.GetAuthorizationToken(ctx, &ecrpublic.GetAuthorizationTokenInput{})
	})
	if err != nil {
		return nil, err
	}
	if out.AuthorizationData == nil {
		return nil, errNoLogin
	}
	return login(out.AuthorizationData.AuthorizationToken, out.AuthorizationData.ExpiresAt)
}

var errNoLogin = errors.New("cannot get an authorization token of ECR: the answer has none")

// login is what a token says: a user and a password.
func login(token *string, ends *time.Time) (map[string][]byte, error) {
	pair, err := base64.StdEncoding.DecodeString(text(token))
	user, password, ok := strings.Cut(string(pair), ":")
	if err != nil || !ok || password == "" || ends == nil {
		return nil, errNoLogin
	}
	return map[string][]byte{"username": []byte(user), "password": []byte(password), "expires_at": seconds(*ends)}, nil
}
