package azure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/providertest"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

func TestWhoAsks(t *testing.T) {
	s := newServer(t)
	login := func(more url.Values) []url.Values {
		more.Set("client_id", "app")
		more.Set("grant_type", "client_credentials")
		more.Set("scope", "https://vault.azure.net/.default openid offline_access profile")
		return []url.Values{more}
	}
	byTenant := strings.Replace(s.bySecret(), fmt.Sprintf(`"tenantId":%q,"authSecretRef":{`, tenant), `"authSecretRef":{"tenantId":{"name":"creds","key":"tenant"},`, 1)
	byKeys := strings.Replace(s.byAccount("bare"), `"authType"`, `"authSecretRef":{"clientId":{"name":"creds","key":"id"},"tenantId":{"name":"creds","key":"tenant"}},"authType"`, 1)
	for name, tc := range map[string]struct {
		reason, config string
		want           []url.Values
	}{
		"secret":      {"the secret of an application", s.bySecret(), login(url.Values{"client_secret": {"planted-client-secret"}})},
		"tenant":      {"whose tenant a Secret has", byTenant, login(url.Values{"client_secret": {"planted-client-secret"}})},
		"certificate": {"its certificate", strings.Replace(s.bySecret(), `"clientSecret":{"name":"creds","key":"secret"}`, `"clientCertificate":{"name":"creds","key":"certificate"}`, 1), login(url.Values{"client_assertion": {"of app"}})},
		"account":     {"a token of a service account", s.byAccount("bound"), login(url.Values{"client_assertion": {"jwt of ns/bound for " + audience + ",more"}})},
		"by keys":     {"whose application a Secret names", byKeys, login(url.Values{"client_assertion": {"jwt of ns/bare for " + audience + ",more"}})},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.opened(t, tc.config)
			for range 2 {
				if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
			}
			if diff := cmp.Diff(tc.want, s.told()); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// TestTenantOfTheVault: who asks signs in where the store says, whatever tenant the vault is of.
func TestTenantOfTheVault(t *testing.T) {
	s := newServer(t) // which knows no other tenant than the store's
	s.home = "99999999-2222-3333-4444-AAAAAAAAAAAA"
	for _, config := range []string{s.bySecret(), s.byAccount("bound")} {
		if _, err := s.opened(t, config).Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
			t.Error(err)
		}
	}
	if logins := s.told(); len(logins) != 2 {
		t.Errorf("signed in %d times for two stores", len(logins))
	}
}

// engine is who the engine is.
type engine string

// GetToken implements azcore.TokenCredential.
func (e engine) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: string(e), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// TestEnginesIdentity: what the engine is to Azure is for stores of the whole of its own cluster.
func TestEnginesIdentity(t *testing.T) {
	s := newServer(t)
	s.tokens["engine"] = true
	f, asked := s.factory(), ""
	f.Engine = func(authType, id string) (azcore.TokenCredential, error) {
		asked = authType + " " + id
		return engine("engine"), nil
	}
	for name, tc := range map[string]struct {
		namespace string
		engine    bool
		more      string
		want, err string
	}{
		"workload":      {"", true, `"authType":"WorkloadIdentity"`, "WorkloadIdentity ", ""},
		"machine":       {"", true, `"authType":"ManagedIdentity","identityId":"x"`, "ManagedIdentity x", ""},
		"namespace":     {"ns", true, `"authType":"WorkloadIdentity"`, "", "set serviceAccountRef: the engine's own identity is for ClusterSecretStores"},
		"other cluster": {"", false, `"authType":"ManagedIdentity"`, "", "of the cluster that it runs in"},
		"elsewhere":     {"", true, `"authType":"ManagedIdentity","customCloudConfig":{"activeDirectoryEndpoint":"https://elsewhere.example"}`, "", "take customCloudConfig out"},
	} {
		asked = ""
		shelf := store.NewShelf(providertest.Cluster(s.objects(), tc.engine), map[string]store.Factory{Name: f.Open})
		opened, err := shelf.Open(t.Context(), store.Store{
			UID: types.UID(name), NamespacedName: types.NamespacedName{Namespace: tc.namespace}, Provider: Name, Config: json.RawMessage(fmt.Sprintf(`{"vaultUrl":%q,%s}`, s.URL, tc.more)),
		}, "ns")
		if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) || asked != tc.want {
			t.Errorf("%s: got the error %v, want %q; asked %q", name, err, tc.err, asked)
		}
		if err != nil {
			continue
		}
		if _, err := opened.Read(t.Context(), provider.Ref{Key: "db"}, time.Now()); err != nil {
			t.Error(err)
		}
	}
}

// TestDial: Azure is asked where stores may ask, and nowhere else.
func TestDial(t *testing.T) {
	s := newServer(t)
	closed := providertest.Cluster(s.objects(), true)
	closed.Dial = egress.DialRemote
	for _, config := range []string{s.bySecret(), s.byAccount("bound")} {
		_, err := s.factory().Open(t.Context(), json.RawMessage(config), store.NewShelf(closed, nil).Around("ns"))
		if err == nil || !strings.Contains(err.Error(), "is a local address") {
			t.Errorf("%s: %v", config, err)
		}
	}
	if asked := s.told(); len(asked) > 0 {
		t.Errorf("it was asked for %v", asked)
	}
}

// TestSharedEntry: ten keys of one entry, asked for at a time, are one request, and the one that asks for whom tokens are.
func TestSharedEntry(t *testing.T) {
	s := newServer(t)
	shelf := store.NewShelf(providertest.Cluster(s.objects(), false), map[string]store.Factory{Name: s.factory().Open})
	opened, err := shelf.Open(t.Context(), store.Store{UID: "one", NamespacedName: types.NamespacedName{Namespace: "ns"}, Provider: Name, Config: json.RawMessage(s.bySecret())}, "ns")
	if err != nil {
		t.Fatal(err)
	}
	since := time.Now()
	var group sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = opened.Read(t.Context(), provider.Ref{Key: "db", Property: fmt.Sprint("p", i)}, since)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"GET /secrets/db/", "GET /secrets/db/"}, s.operations()); diff != "" {
		t.Error(diff)
	}
}

// TestAnotherVault: a token of one vault goes to no other server.
func TestAnotherVault(t *testing.T) {
	s := newServer(t)
	f := s.factory()
	f.AnyServer = false
	p, err := f.Open(t.Context(), json.RawMessage(s.bySecret()), store.NewShelf(providertest.Cluster(s.objects(), true), nil).Around("ns"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err == nil {
		t.Error("who is no vault is shown a token of one")
	}
}

func TestConfigurations(t *testing.T) {
	s := newServer(t)
	auth := `"authSecretRef":{"clientId":{"name":"creds","key":"id"},"clientSecret":{"name":"creds","key":"secret"}}`
	at := fmt.Sprintf(`"vaultUrl":%q,"tenantId":%q`, s.URL, tenant)
	for name, tc := range map[string]struct {
		config, err string
		refused     bool
	}{
		"no vault":    {`{` + auth + `}`, "vaultUrl is empty", false},
		"http":        {`{"vaultUrl":"http://shop.vault.azure.net",` + auth + `}`, "https://", false},
		"type":        {`{` + at + `,"authType":"Password"}`, "none of ServicePrincipal", false},
		"cloud":       {`{` + at + `,"environmentType":"GermanCloud",` + auth + `}`, "none of PublicCloud", false},
		"stack":       {`{` + at + `,"environmentType":"AzureStackCloud",` + auth + `}`, "needs customCloudConfig", false},
		"odd stack":   {`{` + at + `,"customCloudConfig":{"activeDirectoryEndpoint":"http://x"},` + auth + `}`, "activeDirectoryEndpoint", false},
		"no tenant":   {fmt.Sprintf(`{"vaultUrl":%q,%s}`, s.URL, auth), "tenantId is empty", false},
		"odd tenant":  {fmt.Sprintf(`{"vaultUrl":%q,"tenantId":"a/b",%s}`, s.URL, auth), "tenantId or clientId is none", false},
		"nothing":     {`{` + at + `}`, "set authSecretRef.clientId, and one of", false},
		"no secret":   {`{` + at + `,"authSecretRef":{"clientId":{"name":"creds","key":"id"}}}`, "one of authSecretRef.clientSecret", false},
		"absent":      {`{` + at + `,"authSecretRef":{"clientId":{"name":"creds","key":"id"},"clientSecret":{"name":"creds","key":"nope"}}}`, `authSecretRef.clientSecret: Secret ns/creds has no key "nope"`, false},
		"certificate": {`{` + at + `,"authSecretRef":{"clientId":{"name":"creds","key":"id"},"clientCertificate":{"name":"creds","key":"secret"}}}`, "no certificate with its key in PEM", false},
		"refused":     {strings.Replace(`{`+at+`,`+auth+`}`, `"key":"id"`, `"key":"refused"`, 1), "cannot sign in as the application refused: invalid_client: AADSTS7000215: no: [masked]", true},
		"token":       {s.byAccount("refused"), "with a token of the ServiceAccount refused: invalid_client: AADSTS7000215: no: [masked]", true},
		"no account":  {s.byAccount("nobody"), "ServiceAccount ns/nobody does not exist", false},
		"bare":        {s.byAccount("bare"), annotationClient, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.open(t, tc.config)
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("got the error %v, want %q", err, tc.err)
			}
			if no := (*provider.Refused)(nil); errors.As(err, &no) != tc.refused || strings.Contains(err.Error(), "jwt of ns") || strings.Contains(err.Error(), "planted") {
				t.Error(err)
			}
		})
	}
}

// TestNoTokens: an error of a token of a service account is told as it is.
func TestNoTokens(t *testing.T) {
	s := newServer(t)
	none := providertest.Cluster(s.objects(), true)
	none.Tokens = nil
	_, err := s.factory().Open(t.Context(), json.RawMessage(s.byAccount("bound")), store.NewShelf(none, nil).Around("ns"))
	if err == nil || !strings.Contains(err.Error(), "tokens of service accounts are not made here") {
		t.Error(err)
	}
}
