package azure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// registrySpec is what an ACRAccessToken says.
type registrySpec struct {
	TenantID        string `json:"tenantId,omitempty"`
	Registry        string `json:"registry"`
	Scope           string `json:"scope,omitempty"`
	EnvironmentType string `json:"environmentType,omitempty"`
	Auth            struct {
		ServicePrincipal *struct {
			SecretRef AuthSecret `json:"secretRef"`
		} `json:"servicePrincipal,omitempty"`
		ManagedIdentity *struct {
			IdentityID string `json:"identityId,omitempty"`
		} `json:"managedIdentity,omitempty"`
		WorkloadIdentity *struct {
			ServiceAccountRef *esv1.ServiceAccountSelector `json:"serviceAccountRef,omitempty"`
		} `json:"workloadIdentity,omitempty"`
	} `json:"auth"`
}

// registryUser is what registries call who has a token.
const registryUser = "00000000-0000-0000-0000-000000000000"

var hosts = regexp.MustCompile(`^[A-Za-z0-9.\-]+(:[0-9]+)?$`)

// RegistryToken is a generator.Maker: what logs in to a registry of images.
// https://azure.github.io/acr/AAD-OAuth.html.
func (f Factory) RegistryToken(ctx context.Context, said json.RawMessage, around store.Around) (map[string][]byte, error) {
	var spec registrySpec
	if err := json.Unmarshal(said, &spec); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	config, at, err := f.registry(spec)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	client, err := f.connect(around)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, signIn)
	defer cancel()
	known := &provider.Known{}
	who, err := f.identify(ctx, config, at, known, client, around)
	if err != nil {
		return nil, fmt.Errorf("spec.auth: %w", err)
	}
	token, err := who.token(ctx, at.management)
	if err != nil {
		return nil, err
	}
	r := registry{spec.Registry, client, known}
	form := url.Values{"grant_type": {"access_token"}, "access_token": {token.Token}}
	if who.tenant != "" {
		form.Set("tenant", who.tenant)
	}
	password, err := r.exchange(ctx, "exchange", "refresh_token", form)
	if err == nil && spec.Scope != "" {
		password, err = r.exchange(ctx, "token", "access_token", url.Values{"grant_type": {"refresh_token"}, "scope": {spec.Scope}, "refresh_token": {password}})
	}
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"username": []byte(registryUser), "password": []byte(password)}, nil
}

// registry is who asks, as a store would say it, and the cloud. Tokens are for much more
// than registries, and go to no other servers.
func (f Factory) registry(spec registrySpec) (Config, region, error) {
	c := Config{TenantID: spec.TenantID, EnvironmentType: spec.EnvironmentType}
	at, err := c.region()
	if err != nil {
		return c, at, err
	}
	if !hosts.MatchString(spec.Registry) || !f.AnyServer && !strings.HasSuffix(strings.ToLower(spec.Registry), at.registries) {
		return c, at, fmt.Errorf("registry %q is no name of a registry that ends with %s", spec.Registry, at.registries)
	}
	switch auth := spec.Auth; {
	case auth.ServicePrincipal != nil:
		c.AuthSecretRef = &auth.ServicePrincipal.SecretRef
	case auth.WorkloadIdentity != nil:
		c.AuthType, c.ServiceAccountRef = workloadIdentity, auth.WorkloadIdentity.ServiceAccountRef
	case auth.ManagedIdentity != nil:
		c.AuthType, c.IdentityID = managedIdentity, auth.ManagedIdentity.IdentityID
	default:
		return c, at, errors.New("set auth.servicePrincipal or auth.workloadIdentity")
	}
	return c, at, nil
}

// registry is one that exchanges tokens.
type registry struct {
	host   string
	client *http.Client
	known  *provider.Known
}

// exchange gives one token for another one, which is in a field of the answer.
func (r registry) exchange(ctx context.Context, at, field string, form url.Values) (string, error) {
	what := "get a token of the registry " + r.host
	form.Set("service", r.host)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+r.host+"/oauth2/"+at, strings.NewReader(form.Encode()))
	if err != nil {
		return "", errors.New("spec.registry is no name of a registry")
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got, err := r.client.Do(request)
	if err != nil {
		return "", explain(ctx, r.known, what, err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		return "", explain(ctx, r.known, what, runtime.NewResponseError(got))
	}
	const most = 1 << 20
	body, err := io.ReadAll(io.LimitReader(got.Body, most))
	var said map[string]any
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	if err != nil {
		return "", explain(ctx, r.known, what, err)
	}
	token, _ := said[field].(string)
	if token == "" {
		return "", explain(ctx, r.known, what, &unsaid{errors.New("the answer has none")})
	}
	r.known.Source()(token)
	return token, nil
}
