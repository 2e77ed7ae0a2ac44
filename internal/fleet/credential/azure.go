package credential

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// The ways to log in to Azure that need no person and no other program, by
// kubelogin's names.
const (
	AzureWorkload = "workloadidentity"
	AzureSecret   = "spn"
	AzureManaged  = "msi"
)

// aksServer is the application that all AKS clusters with Entra ID share.
const aksServer = "6dae42f8-4368-4678-94ff-3960e28e3630"

// Azure gets tokens of AKS. What is empty comes from the environment that
// workload identity sets.
type Azure struct {
	Login                      string
	Server                     string // application of the API server; AKS' own when empty
	Client, Secret, Tenant     string
	TokenFile, Authority       string
	Environment, IdentityOfVM  string // a cloud's name; a managed identity's resource id
	transport                  policy.Transporter
	withoutAuthorityValidation bool
}

// refused is a login whose settings are not used.
type refused struct{ error }

// Get tells why.
func (r refused) Get(context.Context) (Credential, error) { return Credential{}, r.error }

// authorities are where Azure's public clouds sign in.
var authorities = []string{
	cloud.AzurePublic.ActiveDirectoryAuthorityHost, cloud.AzureGovernment.ActiveDirectoryAuthorityHost, cloud.AzureChina.ActiveDirectoryAuthorityHost,
}

// projected is where workload identity puts the token that is for Entra ID
// alone; cluster Secrets of Argo CD name it.
const projected = "/var/run/secrets/azure/tokens/azure-identity-token"

// bounded refuses settings by which who describes a cluster has a file of the
// engine's machine sent to an address of their own. What the engine's own
// environment says is meant.
func (a Azure) bounded(environment func(string) string) error {
	given := func(value, name string) bool { return value != "" && value != environment(name) }
	same := func(authority string) bool {
		return strings.EqualFold(strings.TrimSuffix(a.Authority, "/"), strings.TrimSuffix(authority, "/"))
	}
	switch {
	case given(a.TokenFile, "AZURE_FEDERATED_TOKEN_FILE") && a.TokenFile != projected:
		return errors.New("cannot log in to Azure: the file of the federated token is that of the engine's environment, and no other: leave AZURE_FEDERATED_TOKEN_FILE out of the cluster's description")
	case given(a.Authority, "AZURE_AUTHORITY_HOST") && !slices.ContainsFunc(authorities, same):
		return errors.New("cannot log in to Azure: the authority is none of Azure's public clouds: set AZURE_AUTHORITY_HOST in the engine's environment for another one, or leave it out")
	case strings.EqualFold(strings.TrimSpace(a.Tenant), "adfs") && given(a.Tenant, "AZURE_TENANT_ID"):
		return errors.New("cannot log in to Azure: the tenant adfs is taken from the engine's environment alone: name a tenant of Entra ID")
	}
	return nil
}

// Get asks Entra ID for a token. It is made anew each time: azidentity would
// give the one that was refused once more.
func (a Azure) Get(ctx context.Context) (Credential, error) {
	login, err := a.credential()
	if err != nil {
		return Credential{}, fmt.Errorf("cannot log in to Azure by %s: its settings are not complete", a.Login)
	}
	server := a.Server
	if server == "" {
		server = aksServer
	}
	token, err := login.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{server + "/.default"}})
	if err != nil {
		return Credential{}, azureProblem(a.Login, err)
	}
	return Credential{Token: token.Token, Expires: token.ExpiresOn}, nil
}

func (a Azure) credential() (azcore.TokenCredential, error) {
	client, err := a.client()
	if err != nil {
		return nil, err
	}
	switch a.Login {
	case AzureManaged:
		o := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: client}
		switch {
		case a.IdentityOfVM != "":
			o.ID = azidentity.ResourceID(a.IdentityOfVM)
		case a.Client != "":
			o.ID = azidentity.ClientID(a.Client)
		}
		return azidentity.NewManagedIdentityCredential(o)
	case AzureSecret:
		o := &azidentity.ClientSecretCredentialOptions{ClientOptions: client, DisableInstanceDiscovery: a.withoutAuthorityValidation}
		return azidentity.NewClientSecretCredential(a.Tenant, a.Client, a.Secret, o)
	}
	return azidentity.NewWorkloadIdentityCredential(&azidentity.WorkloadIdentityCredentialOptions{
		ClientOptions: client, ClientID: a.Client, TenantID: a.Tenant, TokenFilePath: a.TokenFile,
		DisableInstanceDiscovery: a.withoutAuthorityValidation,
	})
}

func (a Azure) client() (azcore.ClientOptions, error) {
	out := azcore.ClientOptions{Transport: a.transport}
	if a.transport == nil {
		out.Transport = &http.Client{Timeout: cloudPatience}
	}
	switch strings.ToLower(a.Environment) {
	case "", "azurepubliccloud", "azurecloud":
	case "azureusgovernmentcloud", "azureusgovernment":
		out.Cloud = cloud.AzureGovernment
	case "azurechinacloud":
		out.Cloud = cloud.AzureChina
	default:
		return out, fmt.Errorf("there is no cloud %q", a.Environment)
	}
	if a.Authority != "" {
		out.Cloud.ActiveDirectoryAuthorityHost = a.Authority
	}
	return out, nil
}

// azureProblem leaves out the request and the answer, which repeat what was sent.
func azureProblem(login string, err error) error {
	var refused *azidentity.AuthenticationFailedError
	if errors.As(err, &refused) && refused.RawResponse != nil {
		return fmt.Errorf("cannot log in to Azure by %s: it answers %d", login, refused.RawResponse.StatusCode)
	}
	if errors.As(err, &refused) {
		return fmt.Errorf("cannot log in to Azure by %s: it refuses", login)
	}
	return fmt.Errorf("cannot log in to Azure by %s: it does not answer", login)
}
