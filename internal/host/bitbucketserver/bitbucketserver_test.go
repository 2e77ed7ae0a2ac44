package bitbucketserver_test

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/host/bitbucketserver"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

var (
	_ host.Forge   = (*bitbucketserver.Client)(nil)
	_ host.Lister  = (*bitbucketserver.Client)(nil)
	_ host.Reviews = (*bitbucketserver.Reviews)(nil)
)

const (
	sha      = "8d51122def5632836d1cb1026e879069e10a1e13"
	projects = "/rest/api/1.0/projects/ACME"
	main     = `{"id":"refs/heads/main","displayId":"main","type":"BRANCH","latestCommit":"` + sha + `","isDefault":true}`
)

// entry is a repository as the listing tells it.
func entry(slug, name string) string {
	return `{"slug":"` + slug + `","id":7,"name":"` + name + `","state":"AVAILABLE","project":{"key":"ACME","id":1},
		"links":{"clone":[{"href":"https://git.example.com/scm/acme/` + slug + `.git","name":"http"},{"href":"ssh://git@git.example.com:7999/acme/` + slug + `.git","name":"ssh"}]}}`
}

// paged answers a path with pages in the server's form.
func paged(s *hosttest.Server, path string, pages ...string) {
	s.Handle("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		page, next := pages[0], `"isLastPage":false,"nextPageStart":100`
		if r.URL.Query().Get("start") == "100" {
			page = pages[len(pages)-1]
		}
		if r.URL.Query().Get("start") == "100" || len(pages) == 1 {
			next = `"isLastPage":true,"nextPageStart":null`
		}
		hosttest.Answer(200, `{"size":1,"limit":100,"values":[`+page+`],`+next+`}`)(w, r)
	})
}

// project is ACME with two repositories that have something in them, one that
// is empty and one whose default branch is gone.
func project(s *hosttest.Server) {
	s.Require("Authorization", "Bearer "+hosttest.Token)
	paged(s, projects+"/repos", entry("app", "app")+","+entry("empty", "empty"), entry("gone", "gone")+","+entry("my-lib", "My Lib"))
	s.JSON("GET "+projects+"/repos/app/branches/default", main)
	s.JSON("GET "+projects+"/repos/my-lib/branches/default", strings.ReplaceAll(main, "main", "release/1"))
	s.Handle("GET "+projects+"/repos/empty/branches/default", hosttest.Answer(204, ""))
	s.Handle("GET "+projects+"/repos/gone/branches/default", hosttest.Answer(404, `{"errors":[{"message":"no such branch"}]}`))
}

func open(t *testing.T, s *hosttest.Server, o bitbucketserver.Options) *bitbucketserver.Client {
	t.Helper()
	o.Project, o.BearerToken = "ACME", hosttest.Token
	if o.API == "" {
		o.API = s.URL
	}
	c, err := bitbucketserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRepositories(t *testing.T) {
	ssh, http := "ssh://git@git.example.com:7999/acme/", "https://git.example.com/scm/acme/"
	cases := map[string]struct {
		reason        string
		protocol, api string
		want          string
	}{
		"default":    {"ssh is what is cloned by", "", "", ssh},
		"https":      {"the server calls it http", "https", "", http},
		"with rest":  {"an address may end with /rest", "", "/rest", ssh},
		"with slash": {"or with a slash", "ssh", "/rest/", ssh},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			project(s)
			o := bitbucketserver.Options{CloneProtocol: c.protocol}
			o.API = s.URL + c.api
			got, err := open(t, s, o).Repositories(t.Context())
			want := []gitops.HostRepository{
				{Organization: "ACME", Repository: "app", ID: "7", URL: c.want + "app.git", Branch: "main", SHA: sha},
				{Organization: "ACME", Repository: "My Lib", ID: "7", URL: c.want + "my-lib.git", Branch: "release/1", SHA: sha},
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}

func TestBranches(t *testing.T) {
	s := hosttest.NewServer(t)
	project(s)
	paged(s, projects+"/repos/my-lib/branches", main, `{"displayId":"feature/x","latestCommit":"abc"}`)
	from := gitops.HostRepository{Organization: "ACME", Repository: "My Lib", URL: "https://git.example.com/scm/acme/my-lib.git"}
	got, err := open(t, s, bitbucketserver.Options{}).Branches(t.Context(), from)
	one, two := from, from
	one.Branch, one.SHA, two.Branch, two.SHA = "main", sha, "feature/x", "abc"
	if diff := cmp.Diff([]gitops.HostRepository{one, two}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestBranchesWithoutDefault(t *testing.T) {
	s := hosttest.NewServer(t)
	project(s)
	paged(s, projects+"/repos/gone/branches", main)
	got, err := open(t, s, bitbucketserver.Options{}).Branches(t.Context(), gitops.HostRepository{Organization: "ACME", Repository: "gone"})
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestHasPath(t *testing.T) {
	s := hosttest.NewServer(t)
	s.Handle("GET "+projects+"/repos/app/browse/deploy/a b#1.yaml", func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("at") != "feature/x" || q.Get("type") != "true" {
			t.Errorf("asked for %s", r.URL)
		}
		hosttest.Answer(200, `{"type":"FILE"}`)(w, r)
	})
	s.Handle("GET "+projects+"/repos/app/browse/login", hosttest.Answer(200, "<html>"))
	c := open(t, s, bitbucketserver.Options{})
	cases := map[string]struct {
		reason string
		path   string
		want   bool
		fails  bool
	}{
		"file":    {"names are escaped", "deploy/a b#1.yaml", true, false},
		"missing": {"404 is an answer", "deploy/none", false, false},
		"root":    {"it is always there", "", true, false},
		"outside": {"a path that leads out would ask for something else", "a/../../b", false, true},
		"login":   {"a page for people is no answer", "login", false, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := c.HasPath(t.Context(), gitops.HostRepository{Organization: "ACME", Repository: "app", Branch: "feature/x"}, tc.path)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
		})
	}
}

func repository(s *hosttest.Server) {
	paged(s, projects+"/repos/app/pull-requests",
		`{"id":101,"title":"Add","state":"OPEN","createdDate":1777600000000,"updatedDate":1777600001000,"author":{"user":{"name":"ann"}},
		  "fromRef":{"id":"refs/heads/feature/x","displayId":"feature/x","latestCommit":"`+sha+`"},"toRef":{"id":"refs/heads/main","displayId":"main"}}`,
		`{"id":102,"fromRef":{"displayId":"y","latestCommit":"abc"},"toRef":{"displayId":"main"}}`)
}

func reviews(s *hosttest.Server, a bitbucketserver.Access) (*bitbucketserver.Reviews, error) {
	a.API = s.URL
	return bitbucketserver.NewReviews(bitbucketserver.ReviewOptions{Access: a, Project: "ACME", Repo: "app"})
}

func TestPullRequests(t *testing.T) {
	cases := map[string]struct {
		reason string
		access bitbucketserver.Access
		want   string
	}{
		"token": {"a token beats a name", bitbucketserver.Access{BearerToken: hosttest.Token, Username: "me"}, "Bearer " + hosttest.Token},
		"basic": {"name and password", bitbucketserver.Access{Username: "me", Password: "p"}, "Basic " + base64.StdEncoding.EncodeToString([]byte("me:p"))},
		"none":  {"public repositories need nothing", bitbucketserver.Access{}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			repository(s)
			s.Require("Authorization", c.want)
			r, err := reviews(s, c.access)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.PullRequests(t.Context())
			want := []gitops.PullRequest{
				{Number: 101, Title: "Add", Branch: "feature/x", TargetBranch: "main", HeadSHA: sha, Author: "ann", Created: time.UnixMilli(1777600000000).UTC(), Updated: time.UnixMilli(1777600001000).UTC()},
				{Number: 102, Branch: "y", TargetBranch: "main", HeadSHA: "abc"},
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Run("repositories", func(t *testing.T) {
		hosttest.Faults(t, project, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
			_, err := open(t, s, bitbucketserver.Options{Access: bitbucketserver.Access{HTTP: o}}).Repositories(ctx)
			return err
		})
	})
	t.Run("pull requests", func(t *testing.T) {
		hosttest.Faults(t, repository, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
			r, err := reviews(s, bitbucketserver.Access{BearerToken: hosttest.Token, HTTP: o})
			if err != nil {
				return err
			}
			_, err = r.PullRequests(ctx)
			return err
		})
	})
}

func TestListsAreWholeOrNothing(t *testing.T) {
	cases := map[string]struct {
		reason string
		list   string
		head   string
		want   string
	}{
		"no values":     {"another object is not an empty list", `{"isLastPage":true}`, "", "not of the API's form"},
		"no end":        {"nobody knows whether there is more", `{"values":[]}`, "", "not of the API's form"},
		"no next":       {"there is more, but not where", `{"values":[],"isLastPage":false,"nextPageStart":null}`, "", "not of the API's form"},
		"back":          {"the next page was read already", `{"values":[],"isLastPage":false,"nextPageStart":0}`, "", "not of the API's form"},
		"no slug":       {"a repository without a name cannot be asked about", `{"values":[{"id":1}],"isLastPage":true}`, "", "not of the API's form"},
		"empty branch":  {"a repository must not go for an answer that says nothing", `{"values":[` + entry("app", "app") + `],"isLastPage":true}`, `{}`, "not of the API's form"},
		"silent branch": {"nor for no answer at all", `{"values":[` + entry("app", "app") + `],"isLastPage":true}`, ``, "no JSON"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			s.JSON("GET "+projects+"/repos", c.list)
			s.JSON("GET "+projects+"/repos/app/branches/default", c.head)
			_, err := open(t, s, bitbucketserver.Options{}).Repositories(t.Context())
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	s := httptest.NewTLSServer(hosttest.Answer(200, `{"values":[],"isLastPage":true}`))
	t.Cleanup(s.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	cases := map[string]struct {
		reason string
		http   wire.Options
		want   string
	}{
		"unknown":  {"nobody vouches for it", wire.Options{}, "caRef"},
		"caRef":    {"the user does", wire.Options{CA: ca}, ""},
		"insecure": {"the user does not mind", wire.Options{Insecure: true}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, err := bitbucketserver.New(bitbucketserver.Options{Project: "ACME", Access: bitbucketserver.Access{API: s.URL, HTTP: c.http}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Repositories(t.Context())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	cases := map[string]struct {
		reason string
		o      bitbucketserver.Options
	}{
		"project":  {"a project has to be named", bitbucketserver.Options{Access: bitbucketserver.Access{API: "https://x"}}},
		"api":      {"an address has to be named", bitbucketserver.Options{Project: "P"}},
		"protocol": {"there is no git protocol", bitbucketserver.Options{Project: "P", CloneProtocol: "git", Access: bitbucketserver.Access{API: "https://x"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var p *gitops.Problem
			if _, err := bitbucketserver.New(c.o); !errors.As(err, &p) || p.Kind != gitops.Invalid || p.Fix == "" {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
	if _, err := bitbucketserver.NewReviews(bitbucketserver.ReviewOptions{Project: "P"}); err == nil {
		t.Error("a repository has to be named")
	}
}
