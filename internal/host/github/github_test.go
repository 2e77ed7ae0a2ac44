package github_test

import (
	"context"
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
	"github.com/causeway-gitops/causeway/internal/host/github"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

var (
	_ host.Forge     = (*github.Client)(nil)
	_ host.Lister    = (*github.Client)(nil)
	_ host.Reviews   = (*github.Client)(nil)
	_ host.Commenter = (*github.Client)(nil)
)

const sha = hosttest.SHA

func open(t *testing.T, s *hosttest.Server, o github.Options) *github.Client {
	t.Helper()
	o.API = s.URL
	if o.Repository == "" {
		o.Organization = "acme"
	}
	if o.Token == nil {
		o.Token = hosttest.SignIn
	}
	c, err := github.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// paged answers a path with pages in GitHub's form: a Link header for the next.
func paged(s *hosttest.Server, path string, pages ...string) {
	s.Handle("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		n = max(n, 1)
		if n < len(pages) {
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?per_page=100&page=%d>; rel="next", <%s%s?page=%d>; rel="last"`, s.URL, path, n+1, s.URL, path, len(pages)))
		}
		if n > len(pages) {
			fmt.Fprint(w, "[]")
			return
		}
		fmt.Fprint(w, pages[n-1])
	})
}

func repo(id int, name, branch string, archived bool) string {
	return fmt.Sprintf(`{"id":%d,"name":%q,"full_name":"acme/%s","owner":{"login":"acme"},"default_branch":%q,"archived":%t,"topics":["gitops","%s"],
		"ssh_url":"git@github.com:acme/%s.git","clone_url":"https://github.com/acme/%s.git","html_url":"https://github.com/acme/%s"}`, id, name, name, branch, archived, name, name, name, name)
}

func branch(name string) string {
	return fmt.Sprintf(`{"name":%q,"commit":{"sha":%q,"url":"x"},"protected":false}`, name, sha)
}

// serve is an organisation with three repositories on two pages: one of them
// is empty, one is archived.
func serve(s *hosttest.Server) {
	s.Require("Authorization", "Bearer "+hosttest.Token)
	paged(s, "/api/v3/orgs/acme/repos", "["+repo(1, "app", "main", false)+","+repo(2, "empty", "main", false)+"]", "["+repo(3, "old", "release/1.x", true)+"]")
	s.JSON("GET /api/v3/repos/acme/app/branches/main", branch("main"))
	s.JSON("GET /api/v3/repos/acme/old/branches/release%2F1.x", branch("release/1.x"))
	s.JSON("GET /api/v3/repos/acme/app/contents/deploy", `[{"type":"file","name":"a.yaml"}]`)
	s.JSON("GET /api/v3/repos/acme/app/contents/values.yaml", `{"type":"file","name":"values.yaml"}`)
	paged(s, "/api/v3/repos/acme/app/branches", "["+branch("main")+"]", "["+branch("feature/x")+"]")
	paged(s, "/api/v3/repos/acme/empty/branches", "[]")
}

func entry(id, name, address, branch string, archived bool) gitops.HostRepository {
	return gitops.HostRepository{Organization: "acme", Repository: name, ID: id, URL: address, Branch: branch, SHA: sha, Labels: []string{"gitops", name}, Archived: archived}
}

func TestRepositories(t *testing.T) {
	app, old := entry("1", "app", "git@github.com:acme/app.git", "main", false), entry("3", "old", "git@github.com:acme/old.git", "release/1.x", true)
	cases := map[string]struct {
		reason string
		o      github.Options
		want   []gitops.HostRepository
	}{
		"all":   {"ssh, archived ones too, without the empty one", github.Options{}, []gitops.HostRepository{app, old}},
		"https": {"the address to clone from", github.Options{CloneProtocol: "https", ExcludeArchivedRepos: true}, []gitops.HostRepository{entry("1", "app", "https://github.com/acme/app.git", "main", false)}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			serve(server)
			got, err := open(t, server, c.o).Repositories(t.Context())
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: (-want +got):\n%s%v", c.reason, diff, err)
			}
		})
	}
}

func TestNamesAskForNoCommit(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(server)
	got, err := open(t, server, github.Options{}).Names(t.Context())
	if err != nil || len(got) != 3 || got[0].SHA != "" {
		t.Errorf("got %v, %v", got, err)
	}
	if asked := server.Asked(); len(asked) != 2 {
		t.Errorf("two pages are enough: %v", asked)
	}
}

func TestBranches(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(server)
	got, err := open(t, server, github.Options{}).Branches(t.Context(), entry("1", "app", "git@github.com:acme/app.git", "main", false))
	want := []gitops.HostRepository{entry("1", "app", "git@github.com:acme/app.git", "main", false), entry("1", "app", "git@github.com:acme/app.git", "feature/x", false)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}

func TestHasPath(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(server)
	c := open(t, server, github.Options{})
	r := gitops.HostRepository{Organization: "acme", Repository: "app", Branch: "feature/x"}
	for path, want := range map[string]bool{"deploy": true, "deploy/": true, "/values.yaml": true, "none": false} {
		if got, err := c.HasPath(t.Context(), r, path); err != nil || got != want {
			t.Errorf("%q: %t, %v", path, got, err)
		}
	}
	if asked := server.Asked(); !strings.HasSuffix(asked[0], "?ref=feature%2Fx") {
		t.Errorf("the branch is asked for: %s", asked[0])
	}
	if _, err := c.HasPath(t.Context(), r, "../secret"); err == nil {
		t.Error("a path must stay within the repository")
	}
	server.Fail(hosttest.Answer(500, ""))
	if _, err := c.HasPath(t.Context(), r, "deploy"); err == nil {
		t.Error("an error is no answer")
	}
}

func pull(n int, draft bool, head string, labels ...string) string {
	var names []string
	for _, l := range labels {
		names = append(names, fmt.Sprintf(`{"name":%q}`, l))
	}
	return fmt.Sprintf(`{"number":%d,"title":"Change %d","draft":%t,"labels":[%s],"user":{"login":"jo"},"created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-03T03:04:05Z",
		"head":{"ref":%q,"sha":%q,"repo":null},"base":{"ref":"main"}}`, n, n, draft, strings.Join(names, ","), head, sha)
}

func TestPullRequests(t *testing.T) {
	server := hosttest.NewServer(t)
	paged(server, "/api/v3/repos/acme/app/pulls", "["+pull(7, false, "feature/x", "preview", "big")+","+pull(8, false, "y")+"]", "["+pull(9, true, "z", "preview")+"]")
	one := func(n int64, head string, labels ...string) gitops.PullRequest {
		return gitops.PullRequest{
			Number: n, Title: fmt.Sprintf("Change %d", n), Branch: head, TargetBranch: "main", HeadSHA: sha, Author: "jo", Labels: labels,
			Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Updated: time.Date(2026, 1, 3, 3, 4, 5, 0, time.UTC),
		}
	}
	cases := map[string]struct {
		reason string
		labels []string
		want   []gitops.PullRequest
	}{
		"all":    {"drafts too, and a fork that is gone", nil, []gitops.PullRequest{one(7, "feature/x", "preview", "big"), one(8, "y"), one(9, "z", "preview")}},
		"label":  {"those with it", []string{"preview"}, []gitops.PullRequest{one(7, "feature/x", "preview", "big"), one(9, "z", "preview")}},
		"labels": {"all of them", []string{"big", "preview"}, []gitops.PullRequest{one(7, "feature/x", "preview", "big")}},
		"none":   {"nobody has it", []string{"other"}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := open(t, server, github.Options{Owner: "acme", Repository: "app", Labels: c.labels}).PullRequests(t.Context())
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: (-want +got):\n%s%v", c.reason, diff, err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	hosttest.Faults(t, serve, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
		_, err := open(t, s, github.Options{HTTP: o}).Repositories(ctx)
		return err
	})
	hosttest.Faults(t, func(s *hosttest.Server) { paged(s, "/api/v3/repos/acme/app/pulls", "["+pull(7, false, "x")+"]") }, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
		_, err := open(t, s, github.Options{HTTP: o, Owner: "acme", Repository: "app"}).PullRequests(ctx)
		return err
	})
}

func TestToken(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(server)
	broken := gitops.Problemf(gitops.Refused, "the App's key is wrong")
	_, err := open(t, server, github.Options{Token: func(context.Context) (string, error) { return "", broken }}).Repositories(t.Context())
	if !errors.Is(err, broken) || len(server.Asked()) != 0 {
		t.Errorf("got %v after %v", err, server.Asked())
	}
	_, err = open(t, server, github.Options{Token: func(context.Context) (string, error) { return "", nil }}).Repositories(t.Context())
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Refused || !strings.Contains(err.Error(), "GitHub organisation acme") {
		t.Errorf("without a token: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]github.Options{
		"nothing":  {},
		"protocol": {Organization: "acme", CloneProtocol: "ftp"},
		"api":      {Organization: "acme", API: "https://user:password@git.example.com"},
		"query":    {Organization: "acme", API: "https://evil.example.org?.example.com"},
		"owner":    {Owner: "../orgs", Repository: "x"},
		"repo":     {Owner: "acme"},
	} {
		_, err := github.New(o)
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != gitops.Invalid || strings.Contains(err.Error(), "password") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
