package credential

import (
	"context"
	"errors"
	"fmt"
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
		out.Transport = cloudClient()
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
