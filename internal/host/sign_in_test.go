package host_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

// A generator may name several ways to sign in, or none: then nothing is sent.
func TestWhichWayToSignIn(t *testing.T) {
	basic := &v1alpha1.BasicAuthBitbucketServer{Username: "me", PasswordRef: password}
	for name, tc := range map[string]struct {
		reason string
		basic  *v1alpha1.BasicAuthBitbucketServer
		bearer *v1alpha1.SecretRef
		want   string
	}{
		"Token":    {"a token, without the line end of its file", nil, ref, "Bearer t0ken"},
		"Password": {"a password", basic, nil, "Basic bWU6czNjcmV0"},
		"Both":     {"of both it is the token, as in Argo CD", basic, ref, "Bearer t0ken"},
		"Nothing":  {"nothing is sent where nothing is named", nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan string, 2) // one for each host
			server := hosttest.NewServer(t)
			server.Handle("GET /", func(w http.ResponseWriter, r *http.Request) {
				sent <- r.Header.Get("Authorization")
				w.WriteHeader(http.StatusNotFound)
			})
			bitbucket := &v1alpha1.PullRequestGeneratorBitbucket{Owner: "acme", Repo: "app", API: server.URL, BasicAuth: tc.basic}
			own := &v1alpha1.PullRequestGeneratorBitbucketServer{Project: "ACME", Repo: "app", API: server.URL, BasicAuth: tc.basic}
			if tc.bearer != nil {
				bitbucket.BearerToken = &v1alpha1.BearerTokenBitbucketCloud{TokenRef: tc.bearer}
				own.BearerToken = &v1alpha1.BearerTokenBitbucket{TokenRef: tc.bearer}
			}
			for _, g := range []v1alpha1.PullRequestGenerator{{Bitbucket: bitbucket}, {BitbucketServer: own}} {
				reviews, err := host.New(options()).Reviews(t.Context(), "team", &g)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := reviews.PullRequests(t.Context()); err == nil {
					t.Error("it finds something")
				}
				select {
				case got := <-sent:
					if got != tc.want {
						t.Errorf("%s: sent %q, want %q", tc.reason, got, tc.want)
					}
				default:
					t.Errorf("%s: nobody was asked", tc.reason)
				}
			}
		})
	}
}

// Who is refused is told what they wrote: the Secret with its key, or that there is none.
func TestWhatToDoWhereAHostRefuses(t *testing.T) {
	github := func(g v1alpha1.SCMProviderGeneratorGithub) func(string) v1alpha1.SCMProviderGenerator {
		return func(api string) v1alpha1.SCMProviderGenerator {
			g.Organization, g.API = "acme", api
			return v1alpha1.SCMProviderGenerator{Github: &g}
		}
	}
	for name, tc := range map[string]struct {
		reason    string
		generator func(api string) v1alpha1.SCMProviderGenerator
		want      string
	}{
		"Token": {"the Secret, and which of its keys", github(v1alpha1.SCMProviderGeneratorGithub{TokenRef: ref}), "check the token in the Secret team/scm, key token, and what it may read"},
		"None":  {"a public organisation may not be one", github(v1alpha1.SCMProviderGeneratorGithub{}), "set tokenRef"},
		"App":   {"an App has its Secret, whatever token is named", github(v1alpha1.SCMProviderGeneratorGithub{TokenRef: ref, AppSecretName: "app"}), "check the GitHub App of the Secret app, and what it may read"},
		"GitLab": {"other hosts, too", func(api string) v1alpha1.SCMProviderGenerator {
			return v1alpha1.SCMProviderGenerator{Gitlab: &v1alpha1.SCMProviderGeneratorGitlab{Group: "acme", API: api, TokenRef: ref}}
		}, "check the token in the Secret team/scm, key token"},
		"Gitea": {"each of them", func(api string) v1alpha1.SCMProviderGenerator {
			return v1alpha1.SCMProviderGenerator{Gitea: &v1alpha1.SCMProviderGeneratorGitea{Owner: "acme", API: api}}
		}, "set tokenRef"},
	} {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			server.Require("Authorization", "of somebody else")
			g := tc.generator(server.URL)
			forge, err := host.New(options()).Forge(t.Context(), "team", &g)
			if err != nil {
				t.Fatal(err)
			}
			_, err = forge.Repositories(t.Context())
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Refused || !strings.Contains(p.Fix, tc.want) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// One of several patterns is enough; what is no pattern is told to the operator,
// who wrote it.
func TestSeveralAllowedHosts(t *testing.T) {
	const api = "https://Git.Example.com/api/v4"
	for name, tc := range map[string]struct {
		reason  string
		allowed []string
		kind    gitops.ProblemKind
		says    string
	}{
		"None":    {"without a word all are", nil, 0, ""},
		"Second":  {"one of them", []string{"https://other.example.com", "GIT.example.com"}, 0, ""},
		"Neither": {"none of them, which are told", []string{"other.example.com", "https://git.example.com"}, gitops.Forbidden, "the Git host https://Git.Example.com/api/v4 is not allowed, only other.example.com, https://git.example.com; use one of those"},
		"Broken":  {"no pattern allows nothing", []string{"git[.example.com"}, gitops.Invalid, `"git[.example.com" is no pattern; correct the allowed hosts in the configuration`},
		"Empty":   {"nor does an empty one", []string{""}, gitops.Forbidden, "is not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.AllowedHosts = tc.allowed
			_, err := host.New(o).Forge(t.Context(), "team", &v1alpha1.SCMProviderGenerator{Gitlab: &v1alpha1.SCMProviderGeneratorGitlab{Group: "acme", API: api}})
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says) || !gitops.IsProblem(err, tc.kind)) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}
