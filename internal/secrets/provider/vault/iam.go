package vault

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/causeway-gitops/causeway/internal/secrets/provider/aws"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// IAM logs in as whom AWS knows.
// https://developer.hashicorp.com/vault/docs/auth/aws#iam-auth-method.
type IAM struct {
	// Path of the method; "aws" when it is empty.
	Path string `json:"path,omitempty"`
	// Region whose server Vault asks; us-east-1 when it is empty.
	Region string `json:"region,omitempty"`
	// Role is assumed before, with ExternalID.
	Role       string `json:"role,omitempty"`
	ExternalID string `json:"externalID,omitempty"`
	// VaultRole is the one of the method.
	VaultRole string `json:"vaultRole"`
	// ServerID is signed too, so that what is sent to one Vault counts for no other.
	ServerID  string          `json:"vaultAwsIamServerID,omitempty"`
	SecretRef *aws.Keys       `json:"secretRef,omitempty"`
	JWT       *aws.TokenOfAWS `json:"jwt,omitempty"`
}

// headerServerID is the one that Vault compares with its own configuration.
const headerServerID = "X-Vault-Aws-Iam-Server-Id"

// SignCaller signs a request that asks AWS who has signed it.
type SignCaller func(ctx context.Context, c aws.Caller, around store.Around) (aws.Signed, error)

func (p *Provider) byIAM(ctx context.Context, auth IAM) (string, map[string]any, error) {
	if auth.VaultRole == "" {
		return "", nil, errors.New("iam: vaultRole is empty")
	}
	caller := aws.Caller{
		Region: auth.Region, Role: auth.Role, ExternalID: auth.ExternalID, Auth: aws.Auth{SecretRef: auth.SecretRef, JWT: auth.JWT}, Header: http.Header{},
	}
	if auth.ServerID != "" {
		caller.Header.Set(headerServerID, auth.ServerID)
	}
	signed, err := p.sign(ctx, caller, p.around)
	if err != nil {
		return "", nil, fmt.Errorf("iam: %w", err)
	}
	header, err := json.Marshal(signed.Header)
	if err != nil {
		return "", nil, fmt.Errorf("iam: %w", err)
	}
	encode := base64.StdEncoding.EncodeToString
	return at("aws", auth.Path, "login"), map[string]any{
		"role": auth.VaultRole, "iam_http_request_method": http.MethodPost,
		"iam_request_url": encode([]byte(signed.URL)), "iam_request_body": encode([]byte(signed.Body)), "iam_request_headers": encode(header),
	}, nil
}
