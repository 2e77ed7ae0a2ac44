package azuredevops_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/host/azuredevops"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

var (
	_ host.Forge   = (*azuredevops.Client)(nil)
	_ host.Lister  = (*azuredevops.Client)(nil)
	_ host.Reviews = (*azuredevops.Reviews)(nil)
)

const (
	sha  = "be67f8871a4d2c75f13a51c1d3c30ac0d74d4ef4"
	id   = "5febef5a-833d-4e14-b9c0-14cb638f91e6"
	repo = "/acme/the web/_apis/git/repositories"
	// app is a repository as the listing tells it.
	app = `{"id":"` + id + `","name":"app","defaultBranch":"refs/heads/main","remoteUrl":"https://acme@dev.azure.com/acme/the%20web/_git/app","sshUrl":"git@ssh.dev.azure.com:v3/acme/the%20web/app","isDisabled":false}`
)

// locations is what the service says about where its resources are.
func locations(s *hosttest.Server) {
	var all []string
	for id, template := range map[string]string{
		"225f7195-f9c7-4d14-ab28-a83f7ff77e1f": "{project}/_apis/{area}/{resource}/{repositoryId}",
		"d5b216de-d8d5-4d32-ae76-51df755b16d3": "{project}/_apis/{area}/repositories/{repositoryId}/stats/{resource}",
		"fb93c0db-47ed-4a31-8c20-47552878fb44": "{project}/_apis/{area}/repositories/{repositoryId}/{resource}/{*path}",
		"a5d28130-9cd2-40fa-9f08-902e7daa9efb": "{project}/_apis/{area}/{resource}",
	} {
		name := map[string]string{"2": "repositories", "d": "branches", "f": "items", "a": "pullRequests"}[id[:1]]
		all = append(all, fmt.Sprintf(`{"id":%q,"area":"git","resourceName":%q,"routeTemplate":%q,"resourceVersion":1,"minVersion":"1.0","maxVersion":"7.2","releasedVersion":"7.1"}`, id, name, template))
	}
	s.JSON("OPTIONS /acme/_apis", fmt.Sprintf(`{"count":%d,"value":[%s]}`, len(all), strings.Join(all, ",")))
}

// project is acme's "the web": app, an empty repository and a disabled one.
func project(s *hosttest.Server) {
	s.Require("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(":"+hosttest.Token)))
	locations(s)
	empty := strings.NewReplacer(`"defaultBranch":"refs/heads/main",`, "", `"app"`, `"empty"`).Replace(app)
	s.JSON("GET "+repo, `{"count":3,"value":[`+app+`,`+empty+`,`+strings.ReplaceAll(app, `"isDisabled":false`, `"isDisabled":true`)+`]}`)
	s.Handle("GET "+repo+"/"+id+"/stats/branches", func(w http.ResponseWriter, r *http.Request) {
		one := `{"name":"main","commit":{"commitId":"` + sha + `"},"isBaseVersion":true}`
		if r.URL.Query().Get("name") == "main" {
			hosttest.Answer(200, one)(w, r)
			return
		}
		hosttest.Answer(200, `{"count":2,"value":[`+one+`,{"name":"feature/x","commit":{"commitId":"abc"}}]}`)(w, r)
	})
}

func open(t *testing.T, s *hosttest.Server, o wire.Options) *azuredevops.Client {
	t.Helper()
	c, err := azuredevops.New(azuredevops.Options{Access: azuredevops.Access{Organization: "acme", API: s.URL + "/", Token: hosttest.Token, HTTP: o}, TeamProject: "the web"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func at(branch, commit string) gitops.HostRepository {
	return gitops.HostRepository{Organization: "acme", Repository: "app", ID: id, URL: "https://acme@dev.azure.com/acme/the%20web/_git/app", Branch: branch, SHA: commit}
}

func TestRepositories(t *testing.T) {
	s := hosttest.NewServer(t)
	project(s)
	c := open(t, s, wire.Options{})
	got, err := c.Repositories(t.Context())
	if diff := cmp.Diff([]gitops.HostRepository{at("main", sha)}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err = c.Branches(t.Context(), at("main", ""))
	if diff := cmp.Diff([]gitops.HostRepository{at("main", sha), at("feature/x", "abc")}, got); err != nil || diff != "" {
		t.Errorf("branches: %v (-want +got):\n%s", err, diff)
	}
}

func TestRepositoryThatWentAway(t *testing.T) {
	s := hosttest.NewServer(t)
	locations(s)
	s.JSON("GET "+repo, `{"count":1,"value":[`+app+`]}`)
	s.Handle("GET "+repo+"/"+id+"/stats/branches", hosttest.Answer(404, `{"$id":"1","message":"TF401019: The Git repository with name or identifier app does not exist.","typeKey":"GitRepositoryNotFoundException"}`))
	c := open(t, s, wire.Options{})
	got, err := c.Repositories(t.Context())
	if err != nil || len(got) != 0 {
		t.Errorf("its default branch: %v, %v", got, err)
	}
	got, err = c.Branches(t.Context(), at("main", ""))
	if err != nil || len(got) != 0 {
		t.Errorf("its branches: %v, %v", got, err)
	}
}

func TestHasPath(t *testing.T) {
	item := hosttest.Answer(200, `{"objectId":"1","gitObjectType":"blob","path":"/deploy/x.yaml"}`)
	cases := map[string]struct {
		reason string
		path   string
		answer http.HandlerFunc
		want   bool
		fails  string
	}{
		"file":      {"there", "/deploy/x y.yaml", item, true, ""},
		"missing":   {"the item is not there", "deploy/x y.yaml", hosttest.Answer(404, `{"message":"TF401174: The item 'deploy' could not be found in the repository 'app'.","typeKey":"GitItemNotFoundException"}`), false, ""},
		"empty":     {"nothing is there", "deploy/x y.yaml", hosttest.Answer(404, `{"message":"VS403403: Cannot find any branches for the app repository.","typeKey":"GitItemNotFoundException"}`), false, ""},
		"no branch": {"a branch that is not there is no answer", "deploy/x y.yaml", hosttest.Answer(404, `{"message":"TF401175: The version descriptor <Branch: main> could not be resolved"}`), false, "TF401175"},
		"no repo":   {"neither is a repository", "deploy/x y.yaml", hosttest.Answer(404, `{"message":"TF401019: The Git repository does not exist"}`), false, "TF401019"},
		"outage":    {"nor an outage", "deploy/x y.yaml", hosttest.Answer(500, `{"message":"boom"}`), false, "boom"},
		"outside":   {"a path that leads out", "../x", item, false, "leads out"},
		"root":      {"it is always there", "/", hosttest.Answer(500, ""), true, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			locations(s)
			s.Handle("GET "+repo+"/"+id+"/items", func(w http.ResponseWriter, r *http.Request) {
				q := r.URL.Query()
				if q.Get("path") != "deploy/x y.yaml" || q.Get("versionDescriptor.version") != "main" || q.Get("versionDescriptor.versionType") != "branch" {
					t.Errorf("asked for %s", r.URL)
				}
				c.answer(w, r)
			})
			got, err := open(t, s, wire.Options{}).HasPath(t.Context(), at("main", sha), c.path)
			if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: got %v, %v", c.reason, got, err)
			}
		})
	}
}

func pull(n int, more string) string {
	return fmt.Sprintf(`{"pullRequestId":%d,"title":"Add","status":"active","repository":{"name":"app"},"sourceRefName":"refs/heads/feature/x","targetRefName":"refs/heads/main",
		"creationDate":"2026-05-01T10:00:00.5Z","createdBy":{"uniqueName":"ann@example.com"},"lastMergeSourceCommit":{"commitId":%q}%s}`, n, sha, more)
}

// reviewed is the same project with 101 pull requests, of which two are for
// app and have the labels.
func reviewed(s *hosttest.Server) {
	locations(s)
	s.Handle("GET /acme/the web/_apis/git/pullRequests", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		skip, _ := strconv.Atoi(q.Get("$skip"))
		if q.Get("$top") != "100" || q.Get("searchCriteria.status") != "active" {
			hosttest.Answer(400, "")(w, r)
			return
		}
		all := []string{
			pull(1, `,"labels":[{"name":"preview"},{"name":"x"}]`),
			pull(2, `,"labels":[{"name":"x"}]`),
			`{"pullRequestId":3,"repository":{"name":"app"},"sourceRefName":"refs/heads/a","targetRefName":"refs/heads/b","labels":[{"name":"preview"}]}`,
		}
		for len(all) < 100 {
			all = append(all, strings.ReplaceAll(pull(len(all)+1, `,"labels":[{"name":"preview"}]`), `"app"`, `"other"`))
		}
		if skip == 100 {
			all = []string{strings.NewReplacer(`"createdBy":{"uniqueName":"ann@example.com"},`, "", `"title":"Add",`, "").Replace(pull(101, `,"labels":[{"name":"preview"}]`))}
		}
		hosttest.Answer(200, `{"value":[`+strings.Join(all, ",")+`]}`)(w, r)
	})
}

func reviews(t *testing.T, s *hosttest.Server, a azuredevops.Access, labels ...string) *azuredevops.Reviews {
	t.Helper()
	a.Organization, a.API = "acme", s.URL
	r, err := azuredevops.NewReviews(azuredevops.ReviewOptions{Access: a, Project: "the web", Repo: "app", Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPullRequests(t *testing.T) {
	created := time.Date(2026, 5, 1, 10, 0, 0, 5e8, time.UTC)
	one := gitops.PullRequest{Number: 1, Title: "Add", Branch: "feature/x", TargetBranch: "main", HeadSHA: sha, Author: "ann", Labels: []string{"preview", "x"}, Created: created}
	two := one
	two.Number, two.Labels = 2, []string{"x"}
	last := gitops.PullRequest{Number: 101, Branch: "feature/x", TargetBranch: "main", HeadSHA: sha, Labels: []string{"preview"}, Created: created}
	cases := map[string]struct {
		reason string
		labels []string
		want   []gitops.PullRequest
	}{
		"all":   {"those of the repository that have a commit, of all pages", nil, []gitops.PullRequest{one, two, last}},
		"label": {"those that have the label", []string{"preview"}, []gitops.PullRequest{one, last}},
		"both":  {"those that have all labels", []string{"x", "preview"}, []gitops.PullRequest{one}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			reviewed(s)
			s.Require("Authorization", "")
			got, err := reviews(t, s, azuredevops.Access{}, c.labels...).PullRequests(t.Context())
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Run("repositories", func(t *testing.T) {
		hosttest.Faults(t, project, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
			_, err := open(t, s, o).Repositories(ctx)
			return err
		})
	})
	t.Run("pull requests", func(t *testing.T) {
		hosttest.Faults(t, reviewed, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
			_, err := reviews(t, s, azuredevops.Access{Token: hosttest.Token, HTTP: o}).PullRequests(ctx)
			return err
		})
	})
}

func TestAnswers(t *testing.T) {
	fine := `{"value":[` + app + `]}`
	cases := map[string]struct {
		reason  string
		list    http.HandlerFunc
		want    string
		kind    gitops.ProblemKind
		discard bool // the locations, too
	}{
		"sign in":      {"a wrong token gets a page to sign in", hosttest.Answer(203, "<html>"), "asks to sign in; check accessTokenRef", gitops.Refused, false},
		"redirect":     {"or the way to one", hosttest.Answer(302, "", "Location", "https://login.example.com/?t="+hosttest.Token), "asks to sign in", gitops.Refused, false},
		"unauthorized": {"or is refused plainly", hosttest.Answer(401, ""), "401", gitops.Refused, false},
		"echo":         {"a server that says the token back", hosttest.Answer(403, `{"message":"no `+hosttest.Token+` and `+base64.StdEncoding.EncodeToString([]byte(":"+hosttest.Token))+`"}`), "[redacted]", gitops.Refused, false},
		"no project":   {"whatever the status", hosttest.Answer(400, `{"message":"TF200016: The following project does not exist: the web. Verify the name.","typeKey":"ProjectDoesNotExistWithNameException"}`), "TF200016", gitops.NotFound, false},
		"no value":     {"another object is not an empty list", hosttest.Answer(200, `{"count":0}`), "not of the API's form", gitops.Unreachable, false},
		"no commit":    {"a branch has a commit", hosttest.Answer(200, fine), "not of the API's form", gitops.Unreachable, false},
		"no locations": {"the service does not know its own resources", hosttest.Answer(200, fine), "not of the API's form", gitops.Unreachable, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			locations(s)
			if c.discard {
				s.Fail(hosttest.Answer(200, `{"value":[{"id":"225f7195-f9c7-4d14-ab28-a83f7ff77e1f"}]}`))
			}
			s.Handle("GET "+repo, c.list)
			s.JSON("GET "+repo+"/"+id+"/stats/branches", `{"name":"main"}`)
			_, err := open(t, s, wire.Options{}).Repositories(t.Context())
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%s: got %v", c.reason, err)
			}
			if strings.Contains(err.Error(), hosttest.Token) {
				t.Errorf("the token shows in %q", err)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	access := azuredevops.Access{Organization: "acme", Token: "t"}
	cases := map[string]struct {
		reason string
		o      azuredevops.Options
		kind   gitops.ProblemKind
	}{
		"project": {"a project has to be named", azuredevops.Options{Access: access}, gitops.Invalid},
		"token":   {"a project cannot be listed without a token", azuredevops.Options{Access: azuredevops.Access{Organization: "acme"}, TeamProject: "p"}, gitops.Refused},
		"api":     {"an address that is none", azuredevops.Options{Access: azuredevops.Access{Organization: "acme", Token: "t", API: "azure"}, TeamProject: "p"}, gitops.Invalid},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var p *gitops.Problem
			if _, err := azuredevops.New(c.o); !errors.As(err, &p) || p.Kind != c.kind || p.Fix == "" {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
	if _, err := azuredevops.New(azuredevops.Options{Access: access, TeamProject: "p"}); err != nil {
		t.Errorf("the public API is the default: %v", err)
	}
	if _, err := azuredevops.NewReviews(azuredevops.ReviewOptions{Access: access, Project: "p"}); err == nil {
		t.Error("a repository has to be named")
	}
}
