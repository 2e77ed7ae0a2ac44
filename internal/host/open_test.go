package host_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// values are the keys of Secrets or ConfigMaps, by "namespace/name/key".
type values map[string]string

func (v values) Value(_ context.Context, namespace, name, key string) (string, error) {
	value, ok := v[namespace+"/"+name+"/"+key]
	if !ok {
		return "", gitops.Problemf(gitops.NotFound, "%s/%s has no key %s", namespace, name, key)
	}
	return value, nil
}

func options() host.Options {
	return host.Options{
		Secrets:    values{"team/scm/token": "t0ken\n", "team/scm/password": "s3cret"},
		ConfigMaps: values{"team/trust/ca.crt": "no certificate"},
		AppToken: func(_ context.Context, namespace, secret, api string) (func(context.Context) (string, error), error) {
			return func(context.Context) (string, error) { return strings.Join([]string{namespace, secret, api}, "|"), nil }, nil
		},
		HTTP: wire.Options{Clock: hosttest.NewClock(hosttest.Noon())},
	}
}

var (
	ref      = &v1alpha1.SecretRef{SecretName: "scm", Key: "token"}
	password = &v1alpha1.SecretRef{SecretName: "scm", Key: "password"}
	caRef    = &v1alpha1.ConfigMapKeyRef{ConfigMapName: "trust", Key: "ca.crt"}
)

// opened is a generator that is asked once, with what the host has to see.
type opened struct {
	forge         func(api string) *v1alpha1.SCMProviderGenerator
	reviews       func(api string) *v1alpha1.PullRequestGenerator
	authorization string
	asked         string
}

// hostsAsked has every host whose address a generator can name.
func hostsAsked() map[string]opened {
	return map[string]opened{
		"github": {forge: func(api string) *v1alpha1.SCMProviderGenerator {
			return &v1alpha1.SCMProviderGenerator{Github: &v1alpha1.SCMProviderGeneratorGithub{Organization: "acme", API: api, TokenRef: ref}}
		}, authorization: "Bearer t0ken", asked: "GET /api/v3/orgs/acme/repos"},
		"github app": {forge: func(api string) *v1alpha1.SCMProviderGenerator {
			return &v1alpha1.SCMProviderGenerator{Github: &v1alpha1.SCMProviderGeneratorGithub{Organization: "acme", API: api, TokenRef: ref, AppSecretName: "app"}}
		}, authorization: "Bearer team|app|$URL", asked: "GET /api/v3/orgs/acme/repos"},
		"gitlab": {forge: func(api string) *v1alpha1.SCMProviderGenerator {
			no := false
			return &v1alpha1.SCMProviderGenerator{Gitlab: &v1alpha1.SCMProviderGeneratorGitlab{Group: "acme/apps", API: api, TokenRef: ref, IncludeSubgroups: true, IncludeSharedProjects: &no, Topic: "x"}}
		}, asked: "GET /api/v4/groups/acme%2Fapps/projects?archived=false&include_subgroups=true&page=1&per_page=100&topic=x&with_shared=false"},
		"gitea": {forge: func(api string) *v1alpha1.SCMProviderGenerator {
			return &v1alpha1.SCMProviderGenerator{Gitea: &v1alpha1.SCMProviderGeneratorGitea{Owner: "acme", API: api, TokenRef: ref}}
		}, authorization: "token t0ken", asked: "GET /api/v1/orgs/acme/repos"},
		"bitbucket server": {forge: func(api string) *v1alpha1.SCMProviderGenerator {
			return &v1alpha1.SCMProviderGenerator{BitbucketServer: &v1alpha1.SCMProviderGeneratorBitbucketServer{Project: "ACME", API: api, BearerToken: &v1alpha1.BearerTokenBitbucket{TokenRef: ref}}}
		}, authorization: "Bearer t0ken", asked: "GET /rest/api/1.0/projects/ACME/repos"},
		"azure": {forge: func(api string) *v1alpha1.SCMProviderGenerator {
			return &v1alpha1.SCMProviderGenerator{AzureDevOps: &v1alpha1.SCMProviderGeneratorAzureDevOps{Organization: "acme", TeamProject: "apps", API: api, AccessTokenRef: ref}}
		}, authorization: "Basic OnQwa2Vu"},
		"github reviews": {reviews: func(api string) *v1alpha1.PullRequestGenerator {
			return &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "acme", Repo: "app", API: api, TokenRef: ref}}
		}, authorization: "Bearer t0ken", asked: "GET /api/v3/repos/acme/app/pulls"},
		"gitlab reviews": {reviews: func(api string) *v1alpha1.PullRequestGenerator {
			return &v1alpha1.PullRequestGenerator{GitLab: &v1alpha1.PullRequestGeneratorGitLab{Project: "7", API: api, TokenRef: ref, Labels: []string{"preview"}, PullRequestState: "opened"}}
		}, asked: "GET /api/v4/projects/7/merge_requests?labels=preview&page=1&per_page=100&state=opened"},
		"gitea reviews": {reviews: func(api string) *v1alpha1.PullRequestGenerator {
			return &v1alpha1.PullRequestGenerator{Gitea: &v1alpha1.PullRequestGeneratorGitea{Owner: "acme", Repo: "app", API: api, TokenRef: ref}}
		}, authorization: "token t0ken", asked: "GET /api/v1/repos/acme/app/pulls"},
		"bitbucket reviews": {reviews: func(api string) *v1alpha1.PullRequestGenerator {
			return &v1alpha1.PullRequestGenerator{Bitbucket: &v1alpha1.PullRequestGeneratorBitbucket{Owner: "acme", Repo: "app", API: api, BasicAuth: &v1alpha1.BasicAuthBitbucketServer{Username: "me", PasswordRef: password}}}
		}, authorization: "Basic bWU6czNjcmV0", asked: "GET /repositories/acme/app/pullrequests"},
		"bitbucket server reviews": {reviews: func(api string) *v1alpha1.PullRequestGenerator {
			return &v1alpha1.PullRequestGenerator{BitbucketServer: &v1alpha1.PullRequestGeneratorBitbucketServer{Project: "ACME", Repo: "app", API: api, BasicAuth: &v1alpha1.BasicAuthBitbucketServer{Username: "me", PasswordRef: password}}}
		}, authorization: "Basic bWU6czNjcmV0", asked: "GET /rest/api/1.0/projects/ACME/repos/app/pull-requests"},
		"azure reviews": {reviews: func(api string) *v1alpha1.PullRequestGenerator {
			return &v1alpha1.PullRequestGenerator{AzureDevOps: &v1alpha1.PullRequestGeneratorAzureDevOps{Organization: "acme", Project: "apps", Repo: "app", API: api, TokenRef: ref}}
		}, authorization: "Basic OnQwa2Vu"},
	}
}

func (o opened) ask(ctx context.Context, hosts *host.Hosts, api string) error {
	if o.forge != nil {
		forge, err := hosts.Forge(ctx, "team", o.forge(api))
		if err != nil {
			return err
		}
		_, err = forge.Repositories(ctx)
		return err
	}
	reviews, err := hosts.Reviews(ctx, "team", o.reviews(api))
	if err != nil {
		return err
	}
	_, err = reviews.PullRequests(ctx)
	return err
}

// The servers know nobody's repositories: who signs in rightly learns that
// there is nothing.
func TestEachHostIsAsked(t *testing.T) {
	for name, o := range hostsAsked() {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			header, value := "Authorization", strings.ReplaceAll(o.authorization, "$URL", server.URL)
			if value == "" {
				header, value = "Private-Token", "t0ken"
			}
			server.Require(header, value)
			err := o.ask(t.Context(), host.New(options()), server.URL)
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind == gitops.Refused {
				t.Errorf("it signs in: %v", err)
			}
			if asked := server.Asked(); len(asked) == 0 || !strings.HasPrefix(asked[0], o.asked) {
				t.Errorf("asked %v, want %s", asked, o.asked)
			}
		})
	}
}

func TestNotAllowed(t *testing.T) {
	for name, o := range hostsAsked() {
		t.Run(name, func(t *testing.T) {
			limits := options()
			limits.AllowedHosts = []string{"https://git.example.com/"}
			server := hosttest.NewServer(t)
			err := o.ask(t.Context(), host.New(limits), server.URL)
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Forbidden || len(server.Asked()) != 0 {
				t.Errorf("got %v after %v", err, server.Asked())
			}
		})
	}
}

func TestAllowedHosts(t *testing.T) {
	cases := map[string]struct {
		reason, pattern, api string
		want                 bool
	}{
		"exact":     {"a slash at the end is no difference", "https://git.example.com", "https://git.example.com/", true},
		"path":      {"a part is not the whole", "https://git.example.com", "https://git.example.com/api/v3", false},
		"glob":      {"a host of the domain", "https://*.example.com", "https://git.example.com", true},
		"slash":     {"an asterisk ends at a slash", "https://*.example.com", "https://evil.org/x.example.com", false},
		"port":      {"another port is another host", "https://git.example.com", "https://git.example.com:8443", false},
		"host":      {"a pattern without a scheme is for the host", "*.example.com", "https://git.example.com/api/v3", true},
		"not host":  {"and not for the path", "git.example.com", "https://evil.org/git.example.com", false},
		"query":     {"a query is no part of an address", "https://*.example.com", "https://evil.org?.example.com", false},
		"user":      {"nor is a name", "https://git.example.com*", "https://git.example.com@evil.org", false},
		"scheme":    {"http is not https", "https://git.example.com", "http://git.example.com", false},
		"ipv6":      {"brackets of an address are text", "https://[fd00::10]", "https://[fd00::10]", true},
		"unwritten": {"a host's own address", "https://git.example.com", "", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.AllowedHosts = []string{c.pattern}
			_, err := host.New(o).Forge(t.Context(), "team", &v1alpha1.SCMProviderGenerator{Gitlab: &v1alpha1.SCMProviderGeneratorGitlab{Group: "acme", API: c.api}})
			if (err == nil) != c.want {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}

func TestCannotOpen(t *testing.T) {
	github := &v1alpha1.SCMProviderGeneratorGithub{Organization: "acme", TokenRef: &v1alpha1.SecretRef{SecretName: "other", Key: "token"}}
	gitlab := &v1alpha1.SCMProviderGeneratorGitlab{Group: "acme", CARef: caRef}
	cases := map[string]struct {
		reason string
		g      v1alpha1.SCMProviderGenerator
		none   bool
		kind   gitops.ProblemKind
		want   string
	}{
		"none":       {"no host", v1alpha1.SCMProviderGenerator{}, false, gitops.Invalid, "names no Git host"},
		"two":        {"two hosts", v1alpha1.SCMProviderGenerator{Github: github, Gitlab: gitlab}, false, gitops.Invalid, "names 2 Git hosts"},
		"secret":     {"a Secret that is not there", v1alpha1.SCMProviderGenerator{Github: github}, false, gitops.NotFound, "team/other has no key token"},
		"authority":  {"a ConfigMap without a certificate", v1alpha1.SCMProviderGenerator{Gitlab: gitlab}, false, gitops.Invalid, "PEM"},
		"protocol":   {"a protocol that Git has not", v1alpha1.SCMProviderGenerator{Gitea: &v1alpha1.SCMProviderGeneratorGitea{Owner: "acme", API: "https://h"}, CloneProtocol: "ftp"}, false, gitops.Invalid, "cloneProtocol"},
		"no secrets": {"no access to Secrets", v1alpha1.SCMProviderGenerator{Github: github}, true, gitops.Refused, "Secrets are not at hand"},
		"no maps":    {"no access to ConfigMaps", v1alpha1.SCMProviderGenerator{Gitlab: gitlab}, true, gitops.Refused, "ConfigMaps are not at hand"},
		"no app":     {"no access to Apps", v1alpha1.SCMProviderGenerator{Github: &v1alpha1.SCMProviderGeneratorGithub{Organization: "acme", AppSecretName: "app"}}, true, gitops.Refused, "appSecretName"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := options()
			if c.none {
				o = host.Options{}
			}
			forge, err := host.New(o).Forge(t.Context(), "team", &c.g)
			var p *gitops.Problem
			if forge != nil || !errors.As(err, &p) || p.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
			}
		})
	}
	reviews, err := host.New(options()).Reviews(t.Context(), "team", &v1alpha1.PullRequestGenerator{})
	if reviews != nil || err == nil {
		t.Errorf("no host: %v", err)
	}
	if reviews, err = host.New(options()).Reviews(t.Context(), "team", &v1alpha1.PullRequestGenerator{Github: &v1alpha1.PullRequestGeneratorGithub{Owner: "a/b", Repo: "c"}}); reviews != nil || err == nil {
		t.Errorf("a wrong name: %v, %v", reviews, err)
	}
}

// TestLooksLate has an organisation whose second repository is empty.
func TestLooksLate(t *testing.T) {
	server := hosttest.NewServer(t)
	repo := func(name string) string {
		return fmt.Sprintf(`{"id":1,"name":%q,"owner":{"login":"acme"},"default_branch":"main","ssh_url":"git@h:acme/%s.git"}`, name, name)
	}
	server.JSON("GET /api/v3/orgs/acme/repos", "["+repo("app")+","+repo("empty")+"]")
	server.JSON("GET /api/v3/repos/acme/app/branches/main", `{"name":"main","commit":{"sha":"abc"}}`)
	server.Handle("GET /api/v3/repos/acme/{repo}/branches", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("repo") == "app" {
			fmt.Fprint(w, `[{"name":"main","commit":{"sha":"abc"}},{"name":"x","commit":{"sha":"def"}}]`)
			return
		}
		fmt.Fprint(w, "[]")
	})
	for name, c := range map[string]struct {
		all  bool
		want []string
	}{
		"default branch": {false, []string{"app main abc"}},
		"every branch":   {true, []string{"app main abc", "app x def"}},
	} {
		before := len(server.Asked())
		g := &v1alpha1.SCMProviderGenerator{Github: &v1alpha1.SCMProviderGeneratorGithub{Organization: "acme", API: server.URL, AllBranches: c.all}}
		forge, err := host.New(options()).Forge(t.Context(), "team", g)
		if err != nil {
			t.Fatal(err)
		}
		all, err := forge.Repositories(t.Context())
		if err != nil || len(all) != 2 || len(server.Asked()) != before+1 {
			t.Errorf("%s: names take one request: %v, %v", name, server.Asked()[before:], err)
		}
		var got []string
		for _, r := range all {
			branches, err := forge.Branches(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range branches {
				got = append(got, b.Repository+" "+b.Branch+" "+b.SHA)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzAllowed checks that no address leads past an allowed one.
func FuzzAllowed(f *testing.F) {
	for _, s := range []string{"https://git.example.com/", "https://git.example.com@evil.org", "https://git.example.com#evil", "https://GIT.example.com", "https://evil.org/?https://git.example.com", `https://git.example.com\.evil.org`} {
		f.Add(s)
	}
	o := options()
	o.AllowedHosts = []string{"https://git.example.com"}
	hosts := host.New(o)
	f.Fuzz(func(t *testing.T, api string) {
		_, err := hosts.Forge(t.Context(), "team", &v1alpha1.SCMProviderGenerator{Gitlab: &v1alpha1.SCMProviderGeneratorGitlab{Group: "acme", API: api}})
		if err != nil || api == "" {
			return
		}
		if u, err := url.Parse(api); err != nil || !strings.EqualFold(u.Host, "git.example.com") || u.Scheme != "https" {
			t.Errorf("%q passes", api)
		}
	})
}
