package azure

import (
	"cmp"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// What Azure has on service accounts, and for whom tokens of these are.
// https://azure.github.io/azure-workload-identity/docs/topics/service-account-labels-and-annotations.html.
const (
	annotationClient = "azure.workload.identity/client-id"
	annotationTenant = "azure.workload.identity/tenant-id"
	audience         = "api://AzureADTokenExchange"
)

// signIn is how long it may take.
const signIn = 30 * time.Second

// identity is who asks. Its errors are told as they are by who uses it.
type identity struct {
	what string
	// tenant is where who asks is at home; empty of the engine's own identity.
	tenant string
	known  *provider.Known
	note   func(texts ...string)
	next   azcore.TokenCredential
}

var _ azcore.TokenCredential = (*identity)(nil)

// GetToken implements azcore.TokenCredential.
func (i *identity) GetToken(ctx context.Context, options policy.TokenRequestOptions) (azcore.AccessToken, error) {
	options.TenantID = "" // that of the vault: the store says where who asks is at home
	ctx, cancel := context.WithTimeout(ctx, signIn)
	defer cancel()
	box := &atomic.Pointer[error]{}
	got, err := i.next.GetToken(context.WithValue(ctx, lost{}, box), options)
	if why := box.Load(); err != nil && why != nil && answerIn(err) == nil {
		err = *why
	}
	if err == nil && got.Token == "" {
		err = &unsaid{errors.New("no token is given")}
	}
	if err != nil {
		return azcore.AccessToken{}, explain(ctx, i.known, i.what, err)
	}
	i.note(got.Token)
	return got, nil
}

// token is one for a server.
func (i *identity) token(ctx context.Context, server string) (azcore.AccessToken, error) {
	// Vaults are asked with such tokens, too: others would be kept beside them.
	return i.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{server + "/.default"}, EnableCAE: true})
}

// identify finds out who asks; nobody is asked for a token yet.
func (f Factory) identify(ctx context.Context, c Config, at region, known *provider.Known, transport *http.Client, around store.Around) (*identity, error) {
	who := &identity{known: known, note: known.Source()}
	options := azcore.ClientOptions{
		Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: f.authority(at)}, Transport: transport, Retry: once,
	}
	own := f.Authority != "" || c.CustomCloud != nil // which no other server knows
	switch c.AuthType {
	case "", servicePrincipal:
		return who, who.byApplication(ctx, c, options, own, around)
	case workloadIdentity:
		if c.ServiceAccountRef == nil {
			return who, f.asEngine(who, c, "serviceAccountRef", around)
		}
		return who, who.byAccount(ctx, c, options, own, around)
	case managedIdentity:
		return who, f.asEngine(who, c, "another authType", around)
	default:
		return nil, fmt.Errorf("authType %q is none of %s, %s and %s", c.AuthType, servicePrincipal, workloadIdentity, managedIdentity)
	}
}

// ofEngine is the engine's own identity: that of its service account, or of the machine.
func ofEngine(authType, id string) (azcore.TokenCredential, error) {
	if authType == workloadIdentity {
		return azidentity.NewWorkloadIdentityCredential(nil)
	}
	options := &azidentity.ManagedIdentityCredentialOptions{}
	switch {
	case strings.HasPrefix(id, "/"):
		options.ID = azidentity.ResourceID(id)
	case id != "":
		options.ID = azidentity.ClientID(id)
	}
	return azidentity.NewManagedIdentityCredential(options)
}

// asEngine is for stores that may be read as the engine. Its tokens go where Microsoft
// makes them, and nowhere else.
func (f Factory) asEngine(who *identity, c Config, other string, around store.Around) error {
	if err := around.AsEngine(); err != nil {
		return fmt.Errorf("authType %s: set %s: %w", c.AuthType, other, err)
	}
	if c.CustomCloud != nil {
		return fmt.Errorf("authType %s: the engine's own identity is one of Microsoft's clouds: take customCloudConfig out", c.AuthType)
	}
	if f.Engine == nil {
		return fmt.Errorf("authType %s: set %s: the engine has no identity of its own", c.AuthType, other)
	}
	who.what = "sign in as the engine"
	var err error
	if who.next, err = f.Engine(c.AuthType, c.IdentityID); err != nil {
		return fmt.Errorf("authType %s: the engine has no such identity: give its service account a workload identity, or set %s", c.AuthType, other)
	}
	return nil
}

// byApplication signs in with the secret or the certificate of an application.
func (i *identity) byApplication(ctx context.Context, c Config, options azcore.ClientOptions, own bool, around store.Around) error {
	auth := c.AuthSecretRef
	if auth == nil || auth.ClientID == nil || (auth.ClientSecret == nil) == (auth.ClientCertificate == nil) {
		return errors.New("set authSecretRef.clientId, and one of authSecretRef.clientSecret and authSecretRef.clientCertificate")
	}
	client, err := secret(ctx, around, "clientId", auth.ClientID)
	if err != nil {
		return err
	}
	tenant, err := tenantOf(ctx, c, around, "")
	if err != nil {
		return err
	}
	i.what, i.tenant = "sign in as the application "+client, tenant
	if auth.ClientSecret != nil {
		password, err := secret(ctx, around, "clientSecret", auth.ClientSecret)
		if err != nil {
			return err
		}
		i.known.Source()(password)
		made, err := azidentity.NewClientSecretCredential(tenant, client, password, &azidentity.ClientSecretCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: own})
		i.next = made
		return complete(err)
	}
	text, err := secret(ctx, around, "clientCertificate", auth.ClientCertificate)
	if err != nil {
		return err
	}
	chain, key, err := azidentity.ParseCertificates([]byte(text), nil)
	if err != nil {
		return errors.New("authSecretRef.clientCertificate: the Secret has no certificate with its key in PEM")
	}
	if _, ok := key.(*rsa.PrivateKey); !ok {
		return errors.New("authSecretRef.clientCertificate: the key of the certificate is no RSA key")
	}
	made, err := azidentity.NewClientCertificateCredential(tenant, client, chain, key, &azidentity.ClientCertificateCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: own})
	i.next = made
	return complete(err)
}

// byAccount signs in with tokens of a service account.
func (i *identity) byAccount(ctx context.Context, c Config, options azcore.ClientOptions, own bool, around store.Around) error {
	account := *c.ServiceAccountRef
	said, err := around.Annotations(ctx, account)
	if err != nil {
		return fmt.Errorf("serviceAccountRef: %w", err)
	}
	client := said[annotationClient]
	if c.AuthSecretRef != nil && c.AuthSecretRef.ClientID != nil {
		if client, err = secret(ctx, around, "clientId", c.AuthSecretRef.ClientID); err != nil {
			return err
		}
	}
	if client == "" {
		return fmt.Errorf("serviceAccountRef: the ServiceAccount %s names no application: set its annotation %s, or authSecretRef.clientId", account.Name, annotationClient)
	}
	tenant, err := tenantOf(ctx, c, around, said[annotationTenant])
	if err != nil {
		return err
	}
	wanted := audience
	if c.CustomCloud != nil {
		wanted = cmp.Or(c.CustomCloud.Audience, audience)
	}
	i.what, i.tenant = "sign in as the application "+client+" with a token of the ServiceAccount "+account.Name, tenant
	add := i.known.Source()
	made, err := azidentity.NewClientAssertionCredential(tenant, client, func(ctx context.Context) (string, error) {
		token, err := around.Token(ctx, account, wanted)
		if err != nil {
			err = &unsaid{err}
			note(ctx, err)
			return "", err
		}
		add(token)
		return token, nil
	}, &azidentity.ClientAssertionCredentialOptions{ClientOptions: options, DisableInstanceDiscovery: own})
	i.next = made
	return complete(err)
}

// complete is an error of a tenant or an application that is none.
func complete(err error) error {
	if err != nil {
		return errors.New("tenantId or clientId is none: letters, digits, dots and hyphens")
	}
	return nil
}

func secret(ctx context.Context, around store.Around, field string, ref *esv1.SecretKeySelector) (string, error) {
	text, err := around.Secret(ctx, *ref)
	if err != nil {
		return "", fmt.Errorf("authSecretRef.%s: %w", field, err)
	}
	return text, nil
}

// tenantOf is the first of the store's, that of a Secret and another one.
func tenantOf(ctx context.Context, c Config, around store.Around, other string) (string, error) {
	if c.TenantID != "" {
		return c.TenantID, nil
	}
	if c.AuthSecretRef != nil && c.AuthSecretRef.TenantID != nil {
		return secret(ctx, around, "tenantId", c.AuthSecretRef.TenantID)
	}
	if other == "" {
		return "", errors.New("tenantId is empty: set it")
	}
	return other, nil
}
