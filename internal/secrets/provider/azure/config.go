package azure

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Name of the provider in a SecretStore.
const Name = "azurekv"

// Config is what a SecretStore says of it.
type Config struct {
	// AuthType is ServicePrincipal, WorkloadIdentity or ManagedIdentity; the first
	// without one.
	AuthType string `json:"authType,omitempty"`
	VaultURL string `json:"vaultUrl"`
	TenantID string `json:"tenantId,omitempty"`
	// EnvironmentType is the cloud that the vault is in; PublicCloud without one.
	EnvironmentType string        `json:"environmentType,omitempty"`
	AuthSecretRef   *AuthSecret   `json:"authSecretRef,omitempty"`
	CustomCloud     *CustomConfig `json:"customCloudConfig,omitempty"`
	// ServiceAccountRef is whose token a WorkloadIdentity is.
	ServiceAccountRef *esv1.ServiceAccountSelector `json:"serviceAccountRef,omitempty"`
	// IdentityID is the client or resource ID of a ManagedIdentity.
	IdentityID string `json:"identityId,omitempty"`
}

// AuthSecret are the credentials of an application.
type AuthSecret struct {
	ClientID          *esv1.SecretKeySelector `json:"clientId,omitempty"`
	TenantID          *esv1.SecretKeySelector `json:"tenantId,omitempty"`
	ClientSecret      *esv1.SecretKeySelector `json:"clientSecret,omitempty"`
	ClientCertificate *esv1.SecretKeySelector `json:"clientCertificate,omitempty"`
}

// CustomConfig are addresses of a cloud that is not one of Microsoft's.
type CustomConfig struct {
	ActiveDirectoryEndpoint string `json:"activeDirectoryEndpoint"`
	KeyVaultEndpoint        string `json:"keyVaultEndpoint,omitempty"`
	// Audience of tokens of service accounts.
	Audience string `json:"audience,omitempty"`
}

// Ways to sign in.
const (
	servicePrincipal = "ServicePrincipal"
	workloadIdentity = "WorkloadIdentity"
	managedIdentity  = "ManagedIdentity"
)

// region is where one signs in for a cloud, for whom tokens of its vaults are, for whom
// those of its management are, which registries take, and how names of registries end.
type region struct{ authority, vaults, management, registries string }

var regions = map[string]region{
	"":                  {cloud.AzurePublic.ActiveDirectoryAuthorityHost, "https://vault.azure.net", "https://management.azure.com", ".azurecr.io"},
	"PublicCloud":       {cloud.AzurePublic.ActiveDirectoryAuthorityHost, "https://vault.azure.net", "https://management.azure.com", ".azurecr.io"},
	"USGovernmentCloud": {cloud.AzureGovernment.ActiveDirectoryAuthorityHost, "https://vault.usgovcloudapi.net", "https://management.usgovcloudapi.net", ".azurecr.us"},
	"ChinaCloud":        {cloud.AzureChina.ActiveDirectoryAuthorityHost, "https://vault.azure.cn", "https://management.chinacloudapi.cn", ".azurecr.cn"},
}

// region is that of the store.
func (c Config) region() (region, error) {
	own := c.CustomCloud
	at, known := regions[c.EnvironmentType]
	switch {
	case !known && c.EnvironmentType != "AzureStackCloud":
		return region{}, fmt.Errorf("environmentType %q is none of PublicCloud, USGovernmentCloud, ChinaCloud and AzureStackCloud", c.EnvironmentType)
	case own == nil && !known:
		return region{}, errors.New("environmentType AzureStackCloud needs customCloudConfig")
	case own == nil:
		return at, nil
	case !isServer(own.ActiveDirectoryEndpoint):
		return region{}, errors.New("customCloudConfig.activeDirectoryEndpoint is no address that begins with https://")
	}
	at.authority = own.ActiveDirectoryEndpoint
	if own.KeyVaultEndpoint != "" {
		at.vaults = strings.TrimSuffix(own.KeyVaultEndpoint, "/")
	}
	return at, nil
}

func (c Config) check() error {
	switch {
	case c.VaultURL == "":
		return errors.New("vaultUrl is empty: set it, such as https://shop.vault.azure.net")
	case !isServer(c.VaultURL):
		return errors.New("vaultUrl is no address that begins with https://")
	}
	return nil
}

func isServer(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}
