package lookup

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/source"
)

// TestCertificatesOfGitHosts holds that the certificates of a host name count
// for that host, for each kind of host, and for no other.
func TestCertificatesOfGitHosts(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "[]")
	}))
	t.Cleanup(server.Close)
	good := certificateOf(server)
	github := &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "o", Repo: "r", API: server.URL}}
	for name, c := range map[string]struct {
		reason string
		certs  map[string]string
		g      *v1alpha1.PullRequestGenerator
		want   string
	}{
		"github":     {"its host is trusted, whatever the port", map[string]string{"127.0.0.1": good}, github, ""},
		"gitlab":     {"so is that of GitLab", map[string]string{"127.0.0.1": good}, &v1alpha1.PullRequestGenerator{GitLab: &v1alpha1.PullRequestGeneratorGitLab{Project: "1", API: server.URL}}, ""},
		"gitea":      {"and of Gitea", map[string]string{"127.0.0.1": good}, &v1alpha1.PullRequestGenerator{Gitea: &v1alpha1.PullRequestGeneratorGitea{Owner: "o", Repo: "r", API: server.URL}}, ""},
		"none":       {"the system does not know the server", nil, github, "certificate"},
		"other host": {"a certificate of one host is none for another", map[string]string{"git.example.com": good}, github, "certificate"},
		"no PEM":     {"the ConfigMap is named, for the generator is right", map[string]string{"127.0.0.1": "MIIB…"}, github, hub.TLSCertsMap},
	} {
		t.Run(name, func(t *testing.T) {
			known := &source.Credentials{}
			known.Trust(source.Trust{CAs: c.certs})
			hosts := newGitHosts(Settings{}, func(api string) string {
				found, _ := known.For(api, "")
				return found.CA
			}, nil)
			reviews, err := hosts.Reviews(t.Context(), "argocd", c.g)
			if err == nil {
				_, err = reviews.PullRequests(t.Context())
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
			}
		})
	}
}

// TestCertificatesOfGitHubApps holds that the server of an App is trusted as
// the installation says at the moment.
func TestCertificatesOfGitHubApps(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"token": "made", "expires_at": %q}`, time.Now().Add(time.Hour).Format(time.RFC3339))
	}))
	t.Cleanup(server.Close)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "app", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepoCreds}},
		Data: map[string][]byte{
			"url": []byte(server.URL), "githubAppID": []byte("1"), "githubAppInstallationID": []byte("2"), "githubAppEnterpriseBaseUrl": []byte(server.URL),
			"githubAppPrivateKey": pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		},
	}
	certificates := ""
	apps := &gitHubApps{reader: oneSecret{secret: secret}, certificates: func(string) string { return certificates }, known: map[string]*gitHubApp{}}
	token := func() (string, error) {
		sign, err := apps.token(t.Context(), "argocd", "app", server.URL)
		if err != nil {
			return "", err
		}
		return sign(t.Context())
	}
	if _, err := token(); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a server that nobody trusts: %v", err)
	}
	certificates = certificateOf(server)
	if got, err := token(); err != nil || got != "made" {
		t.Errorf("a server that is trusted since: %q, %v", got, err)
	}
}

// TestAddressesOfGitHosts holds that each host has one to look certificates up by.
func TestAddressesOfGitHosts(t *testing.T) {
	const own = "https://git.example.com/api"
	for name, c := range map[string]struct {
		forge   *v1alpha1.SCMProviderGenerator
		reviews *v1alpha1.PullRequestGenerator
		want    string
	}{
		"GitHub":           {&v1alpha1.SCMProviderGenerator{Github: &v1alpha1.SCMProviderGeneratorGithub{}}, &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{}}, publicAPI},
		"own GitHub":       {&v1alpha1.SCMProviderGenerator{Github: &v1alpha1.SCMProviderGeneratorGithub{API: own}}, &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{API: own}}, own},
		"GitLab":           {&v1alpha1.SCMProviderGenerator{Gitlab: &v1alpha1.SCMProviderGeneratorGitlab{}}, &v1alpha1.PullRequestGenerator{GitLab: &v1alpha1.PullRequestGeneratorGitLab{}}, gitLabAPI},
		"Gitea":            {&v1alpha1.SCMProviderGenerator{Gitea: &v1alpha1.SCMProviderGeneratorGitea{API: own}}, &v1alpha1.PullRequestGenerator{Gitea: &v1alpha1.PullRequestGeneratorGitea{API: own}}, own},
		"Bitbucket":        {&v1alpha1.SCMProviderGenerator{Bitbucket: &v1alpha1.SCMProviderGeneratorBitbucket{}}, &v1alpha1.PullRequestGenerator{Bitbucket: &v1alpha1.PullRequestGeneratorBitbucket{}}, bitbucketAPI},
		"Bitbucket Server": {&v1alpha1.SCMProviderGenerator{BitbucketServer: &v1alpha1.SCMProviderGeneratorBitbucketServer{API: own}}, &v1alpha1.PullRequestGenerator{BitbucketServer: &v1alpha1.PullRequestGeneratorBitbucketServer{API: own}}, own},
		"Azure DevOps":     {&v1alpha1.SCMProviderGenerator{AzureDevOps: &v1alpha1.SCMProviderGeneratorAzureDevOps{}}, &v1alpha1.PullRequestGenerator{AzureDevOps: &v1alpha1.PullRequestGeneratorAzureDevOps{}}, azureAPI},
		"none":             {&v1alpha1.SCMProviderGenerator{}, &v1alpha1.PullRequestGenerator{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := apiOfForge(c.forge); got != c.want {
				t.Errorf("scmProvider asks %q, want %q", got, c.want)
			}
			if got := apiOfReviews(c.reviews); got != c.want {
				t.Errorf("pullRequest asks %q, want %q", got, c.want)
			}
		})
	}
}

func TestGitHubApps(t *testing.T) {
	secret := func(data map[string]string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "app", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepoCreds}},
			StringData: data,
		}
	}
	app := map[string]string{"url": "https://ghe.corp/org", "githubAppID": "1", "githubAppInstallationID": "2", "githubAppPrivateKey": "k", "githubAppEnterpriseBaseUrl": "https://ghe.corp/api/v3"}
	for name, c := range map[string]struct {
		reason, api string
		data        map[string]string
		want        string
	}{
		"same server":  {"its own", "https://ghe.corp/api/v3/", app, ""},
		"other server": {"a generator must not have the token sent elsewhere", "https://evil.example.com", app, "is not for https://evil.example.com"},
		"public":       {"nor to github.com by leaving the address out", "", app, "is not for https://api.github.com"},
		"no app":       {"it is told what is missing", "", map[string]string{"url": "https://ghe.corp/org"}, "describes no GitHub App"},
	} {
		t.Run(name, func(t *testing.T) {
			apps := &gitHubApps{reader: oneSecret{secret: secret(c.data)}, certificates: func(string) string { return "" }, known: map[string]*gitHubApp{}}
			_, err := apps.token(t.Context(), "argocd", "app", c.api)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

// oneSecret is a hub with one Secret.
type oneSecret struct {
	client.Reader

	secret *corev1.Secret
}

func (s oneSecret) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if secret, ok := into.(*corev1.Secret); ok {
		s.secret.DeepCopyInto(secret)
	}
	return nil
}
