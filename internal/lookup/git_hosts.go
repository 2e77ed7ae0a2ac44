package lookup

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"net/url"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/githubapp"
)

// gitHosts are the hosts of generators, with the tokens in Secrets of the
// control namespace.
type gitHosts struct {
	host.Options

	// certificates are those in PEM form that the installation trusts for the
	// server of an API, besides the system's; empty for none.
	certificates func(api string) string
}

func newGitHosts(s Settings, certificates func(api string) string, allowed []string) gitHosts {
	apps := &gitHubApps{reader: s.Reader, certificates: certificates, known: map[string]*gitHubApp{}}
	return gitHosts{certificates: certificates, Options: host.Options{
		Secrets: secretValues{s}, ConfigMaps: mapValues{s}, AppToken: apps.token, AllowedHosts: allowed,
	}}
}

func (h gitHosts) Forge(ctx context.Context, namespace string, g *v1alpha1.SCMProviderGenerator) (generate.Forge, error) {
	hosts, err := h.at(apiOfForge(g))
	if err != nil {
		return nil, err
	}
	return hosts.Forge(ctx, namespace, g)
}

func (h gitHosts) Reviews(ctx context.Context, namespace string, g *v1alpha1.PullRequestGenerator) (generate.Reviews, error) {
	hosts, err := h.at(apiOfReviews(g))
	if err != nil {
		return nil, err
	}
	return hosts.Reviews(ctx, namespace, g)
}

// at are the hosts with the certificates of one server, which no other is
// trusted by.
func (h gitHosts) at(api string) (*host.Hosts, error) {
	o := h.Options
	if api != "" {
		o.HTTP.CA = h.certificates(api)
	}
	if o.HTTP.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(o.HTTP.CA)) {
		return nil, gitops.Problemf(gitops.Invalid, "cannot check %s: ConfigMap %s has no certificate in PEM form for it", api, hub.TLSCertsMap).
			Do("correct the entry of that host name, or take it out")
	}
	return host.New(o), nil
}

type secretValues struct{ Settings }

func (v secretValues) Value(ctx context.Context, namespace, name, key string) (string, error) {
	return v.SecretKey(ctx, namespace, name, key)
}

type mapValues struct{ Settings }

func (v mapValues) Value(ctx context.Context, namespace, name, key string) (string, error) {
	data, err := v.ConfigMap(ctx, namespace, name)
	if err != nil {
		return "", err
	}
	value, ok := data[key]
	if !ok {
		return "", gitops.Problemf(gitops.NotFound, "ConfigMap %s in namespace %s has no key %q", name, namespace, key).
			Do("add the key, or correct the reference to it")
	}
	return value, nil
}

// appTime bounds a request for a token.
const appTime = 30 * time.Second

// gitHubApps keep the tokens of GitHub Apps while they last. It is safe for
// concurrent use.
type gitHubApps struct {
	reader       client.Reader
	certificates func(api string) string

	mu    sync.Mutex
	known map[string]*gitHubApp
}

// gitHubApp is an App as one version of its Secret describes it, with the
// certificates that its server was trusted by then.
type gitHubApp struct {
	version string
	ca      string
	base    string
	tokens  *githubapp.Tokens
}

// token finds the App of a repository Secret. Its tokens are for its own
// server only: whoever writes a generator chooses the address.
func (a *gitHubApps) token(ctx context.Context, namespace, name, api string) (func(context.Context) (string, error), error) {
	secret := &corev1.Secret{}
	if err := a.reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, secret); err != nil {
		return nil, unreadable("Secret", namespace, name, err)
	}
	app, err := a.of(secret)
	if err != nil {
		return nil, err
	}
	if !sameServer(cmp.Or(api, publicAPI), cmp.Or(app.base, publicAPI)) {
		return nil, gitops.Problemf(gitops.Forbidden, "the GitHub App of Secret %s is not for %s", name, cmp.Or(api, publicAPI)).
			Do("make the generator's api and githubAppEnterpriseBaseUrl of the Secret the same server")
	}
	return func(ctx context.Context) (string, error) {
		token, err := app.tokens.Token(ctx)
		return token.Reveal(), err
	}, nil
}

func (a *gitHubApps) of(secret *corev1.Secret) (*gitHubApp, error) {
	key := secret.Namespace + "/" + secret.Name
	a.mu.Lock()
	defer a.mu.Unlock()
	if had, ok := a.known[key]; ok && had.version == secret.ResourceVersion && had.ca == a.certificates(cmp.Or(had.base, publicAPI)) {
		return had, nil
	}
	parsed, err := access.ParseRepository(secret)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "%w", err)
	}
	if parsed.Credential.App == nil {
		return nil, gitops.Problemf(gitops.Invalid, "Secret %s describes no GitHub App", key).
			Do("set githubAppID, githubAppInstallationID and githubAppPrivateKey in it")
	}
	base := parsed.Credential.App.BaseURL
	parsed.Credential.CA = a.certificates(cmp.Or(base, publicAPI))
	tokens, err := githubapp.New(parsed.Credential, appTime, time.Now)
	if err != nil {
		return nil, fmt.Errorf("cannot use the GitHub App of Secret %s: %w", key, err)
	}
	a.known[key] = &gitHubApp{version: secret.ResourceVersion, ca: parsed.Credential.CA, base: base, tokens: tokens}
	return a.known[key], nil
}

func sameServer(a, b string) bool {
	one, err1 := url.Parse(a)
	other, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && one.Scheme == other.Scheme && one.Host == other.Host
}
