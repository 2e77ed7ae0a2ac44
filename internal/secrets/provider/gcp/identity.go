package gcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"golang.org/x/oauth2/google/externalaccount"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// annotation of a service account names the one of Google that it acts for.
// https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity.
const annotation = "iam.gke.io/gcp-service-account"

const (
	scope = "https://www.googleapis.com/auth/cloud-platform"
	// early is how long before their end tokens are replaced.
	early = time.Minute
	// signIn is how long it may take.
	signIn = 30 * time.Second
)

// identity is who asks, with the token that counts.
type identity struct {
	what  string
	known *provider.Known
	note  func(texts ...string)
	fetch func(ctx context.Context) (*oauth2.Token, error)

	mu      sync.Mutex
	has     *oauth2.Token
	renewed time.Time
}

// token is one that counts for a while.
func (i *identity) token(ctx context.Context) (*oauth2.Token, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.has != nil && (i.has.Expiry.IsZero() || time.Until(i.has.Expiry) > early) {
		return i.has, nil
	}
	within, cancel := context.WithTimeout(ctx, signIn)
	defer cancel()
	got, err := i.fetch(within)
	if err == nil && got.AccessToken == "" {
		err = errNoToken
	}
	if err != nil {
		return nil, explain(within, i.known, i.what, err)
	}
	i.note(got.AccessToken)
	i.has = got
	return got, nil
}

var errNoToken = &unsaid{errors.New("no token is given")}

// once is how long a new token is not replaced again by who asked with an older one.
const once = 10 * time.Second

// forget has a new token be got in place of one that was refused, and reports whether
// there will be another one.
func (i *identity) forget(refused *oauth2.Token) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.has != refused {
		return true
	}
	now := time.Now()
	if now.Sub(i.renewed) < once {
		return false
	}
	i.has, i.renewed = nil, now
	return true
}

// identify finds out who asks; nobody is asked for a token yet.
func (f Factory) identify(ctx context.Context, c Config, known *provider.Known, transport http.RoundTripper, around store.Around) (*identity, error) {
	who := &identity{known: known, note: known.Source()}
	var err error
	switch auth := c.Auth; {
	case auth.SecretRef != nil:
		err = who.byKey(ctx, *auth.SecretRef, transport, around)
	case auth.WorkloadIdentity != nil:
		err = f.ofCluster(ctx, who, c, transport, around)
	case auth.WorkloadIdentityFederation != nil:
		err = f.federated(ctx, who, *auth.WorkloadIdentityFederation, transport, around)
	default:
		err = f.asEngine(who, around)
	}
	return who, err
}

// ofEngine is the engine's own identity: that of the file which its environment names, or
// of its pod. What the machine has under it is not the engine's.
func ofEngine(ctx context.Context) (*oauth2.Token, error) {
	found, err := google.FindDefaultCredentials(ctx, scope)
	if err != nil {
		return nil, &unsaid{errors.New("the engine has no identity of its own: give its service account a workload identity, or set GOOGLE_APPLICATION_CREDENTIALS")}
	}
	if len(found.JSON) == 0 && !ofPod(ctx) {
		return nil, &unsaid{errors.New("the engine has the identity of its node alone, which stores are not read with: give its service account a workload identity")}
	}
	return found.TokenSource.Token()
}

func (f Factory) asEngine(who *identity, around store.Around) error {
	const others = "set auth.secretRef, auth.workloadIdentity or auth.workloadIdentityFederation"
	if err := around.AsEngine(); err != nil {
		return fmt.Errorf(others+": %w", err)
	}
	if f.Engine == nil {
		return errors.New(others + ": the engine has no identity of its own")
	}
	who.what = "sign in as the engine"
	who.fetch = func(ctx context.Context) (*oauth2.Token, error) {
		// The machine's own addresses are where the engine is told who it is.
		return exchanged(ctx, http.DefaultTransport, f.Engine)
	}
	return nil
}

// byKey signs in with the key of a service account.
func (i *identity) byKey(ctx context.Context, key Key, transport http.RoundTripper, around store.Around) error {
	text, err := around.Secret(ctx, key.SecretAccessKey)
	if err != nil {
		return fmt.Errorf("auth.secretRef.secretAccessKeySecretRef: %w", err)
	}
	config, err := google.JWTConfigFromJSON([]byte(text), scope)
	if err != nil || config.Email == "" || len(config.PrivateKey) == 0 { // the error may quote the key
		return errors.New("auth.secretRef.secretAccessKeySecretRef: the Secret has no key of a service account of Google in JSON")
	}
	i.what = "sign in as " + config.Email
	i.fetch = func(ctx context.Context) (*oauth2.Token, error) {
		return exchanged(ctx, transport, func(ctx context.Context) (*oauth2.Token, error) { return config.TokenSource(ctx).Token() })
	}
	return nil
}

// ofCluster signs in as a service account of a cluster of GKE.
func (f Factory) ofCluster(ctx context.Context, who *identity, c Config, transport http.RoundTripper, around store.Around) error {
	const at = "auth.workloadIdentity"
	of, err := f.located(ctx, *c.Auth.WorkloadIdentity, around)
	if err != nil {
		return fmt.Errorf(at+": %w", err)
	}
	audience, pool, err := of.pool(c.ProjectID)
	if err != nil {
		return fmt.Errorf(at+": %w", err)
	}
	account := c.Auth.WorkloadIdentity.ServiceAccountRef
	said, err := around.Annotations(ctx, account)
	if err != nil {
		return fmt.Errorf(at+".serviceAccountRef: %w", err)
	}
	return f.byToken(who, tokenOf{account, audience, pool, said[annotation], transport, around})
}

// federated signs in as a service account of any cluster.
func (f Factory) federated(ctx context.Context, who *identity, by Federation, transport http.RoundTripper, around store.Around) error {
	const at = "auth.workloadIdentityFederation"
	if err := by.check(); err != nil {
		return fmt.Errorf(at+": %w", err)
	}
	said, err := around.Annotations(ctx, *by.ServiceAccountRef)
	if err != nil {
		return fmt.Errorf(at+".serviceAccountRef: %w", err)
	}
	return f.byToken(who, tokenOf{*by.ServiceAccountRef, by.Audience, by.Audience, cmp.Or(by.GCPServiceAccountEmail, said[annotation]), transport, around})
}

// tokenOf is a service account, whom its token is for, what Google calls who has one, and
// the account of Google that it then acts for, if there is one.
type tokenOf struct {
	account              esv1.ServiceAccountSelector
	audience, pool, acts string

	transport http.RoundTripper
	around    store.Around
}

func (f Factory) byToken(who *identity, t tokenOf) error {
	conf := externalaccount.Config{
		Audience: t.pool, SubjectTokenType: "urn:ietf:params:oauth:token-type:jwt", Scopes: []string{scope}, TokenURL: f.Endpoints.Tokens,
	}
	if t.acts != "" {
		if !accounts.MatchString(t.acts) {
			return fmt.Errorf("%q is no address of a service account of Google", t.acts)
		}
		server := cmp.Or(f.Endpoints.Accounts, "https://iamcredentials.googleapis.com")
		conf.ServiceAccountImpersonationURL = server + "/v1/projects/-/serviceAccounts/" + url.PathEscape(t.acts) + ":generateAccessToken"
	}
	who.what = "sign in with a token of the ServiceAccount " + t.account.Name
	who.fetch = func(ctx context.Context) (*oauth2.Token, error) {
		token, err := t.around.Token(ctx, t.account, t.audience)
		if err != nil {
			return nil, &unsaid{err}
		}
		who.note(token)
		conf := conf
		conf.SubjectTokenSupplier = given(token)
		return exchanged(ctx, t.transport, func(ctx context.Context) (*oauth2.Token, error) {
			source, err := externalaccount.NewTokenSource(ctx, conf)
			if err != nil {
				return nil, err
			}
			return source.Token()
		})
	}
	return nil
}

// given is a token that is there already.
type given string

// SubjectToken implements externalaccount.SubjectTokenSupplier.
func (g given) SubjectToken(context.Context, externalaccount.SupplierOptions) (string, error) {
	return string(g), nil
}
