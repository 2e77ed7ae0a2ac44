package gitea_test

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
	"github.com/causeway-gitops/causeway/internal/host/gitea"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

var (
	_ host.Forge     = (*gitea.Client)(nil)
	_ host.Lister    = (*gitea.Client)(nil)
	_ host.Reviews   = (*gitea.Client)(nil)
	_ host.Commenter = (*gitea.Client)(nil)
)

const sha = hosttest.SHA

func open(t *testing.T, s *hosttest.Server, o gitea.Options) *gitea.Client {
	t.Helper()
	o.Token, o.Owner = hosttest.SignIn, "acme"
	if o.API == "" {
		o.API = s.URL + "/"
	}
	c, err := gitea.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ends are the ways in which servers tell that there is no further page.
type ends func(w http.ResponseWriter, r *http.Request, page, pages int)

func byLink(w http.ResponseWriter, r *http.Request, page, pages int) {
	if page < pages {
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?limit=50&page=%d>; rel="next",<http://%s%s?page=%d>; rel="last"`, r.Host, r.URL.Path, page+1, r.Host, r.URL.Path, pages))
	}
	w.Header().Set("X-Total-Count", "3")
}

func byTotal(w http.ResponseWriter, _ *http.Request, _, _ int) { w.Header().Set("X-Total-Count", "3") }

func byEmptyPage(http.ResponseWriter, *http.Request, int, int) {}

func paged(s *hosttest.Server, path string, end ends, pages ...string) {
	s.Handle("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		end(w, r, n, len(pages))
		if n > len(pages) {
			fmt.Fprint(w, "[]")
			return
		}
		fmt.Fprint(w, pages[n-1])
	})
}

func repo(id int, name string, empty, archived bool) string {
	return fmt.Sprintf(`{"id":%d,"name":%q,"owner":{"login":"acme"},"default_branch":"main","empty":%t,"archived":%t,"ssh_url":"git@gitea.example.com:acme/%s.git","html_url":"https://gitea.example.com/acme/%s"}`, id, name, empty, archived, name, name)
}

func branch(name string) string { return fmt.Sprintf(`{"name":%q,"commit":{"id":%q}}`, name, sha) }

// serve is an organisation with three repositories on two pages: one of them
// is empty, one is archived.
func serve(end ends) func(*hosttest.Server) {
	return func(s *hosttest.Server) {
		s.Require("Authorization", "token "+hosttest.Token)
		paged(s, "/api/v1/orgs/acme/repos", end, "["+repo(1, "app", false, false)+","+repo(2, "empty", true, false)+"]", "["+repo(3, "old", false, true)+"]")
		paged(s, "/api/v1/repos/acme/app/labels", end, `[{"id":1,"name":"gitops"},{"id":2,"name":"bug"}]`, `[{"id":3,"name":"big"}]`)
		paged(s, "/api/v1/repos/acme/old/labels", byEmptyPage)
		s.JSON("GET /api/v1/repos/acme/app/branches/main", branch("main"))
		s.JSON("GET /api/v1/repos/acme/old/branches/main", branch("main"))
		paged(s, "/api/v1/repos/acme/app/branches", end, "["+branch("main")+","+branch("x")+"]", "["+branch("feature/x")+"]")
		s.JSON("GET /api/v1/repos/acme/app/contents/deploy", `[{"type":"file","name":"a.yaml"}]`)
		s.JSON("GET /api/v1/repos/acme/app/contents/deploy/a.yaml", `{"type":"file","name":"a.yaml"}`)
	}
}

func entry(id, name, address, branch string, labels ...string) gitops.HostRepository {
	return gitops.HostRepository{Organization: "acme", Repository: name, ID: id, URL: address, Branch: branch, SHA: sha, Labels: labels, Archived: name == "old"}
}

func TestRepositories(t *testing.T) {
	app, old := entry("1", "app", "git@gitea.example.com:acme/app.git", "main", "gitops", "bug", "big"), entry("3", "old", "git@gitea.example.com:acme/old.git", "main")
	cases := map[string]struct {
		reason string
		end    ends
		o      gitea.Options
		want   []gitops.HostRepository
	}{
		"link":  {"ssh, archived ones too, without the empty one", byLink, gitea.Options{}, []gitops.HostRepository{app, old}},
		"total": {"X-Total-Count ends it", byTotal, gitea.Options{}, []gitops.HostRepository{app, old}},
		"empty": {"an empty page ends it", byEmptyPage, gitea.Options{}, []gitops.HostRepository{app, old}},
		"https": {"the page's address, as in Argo CD", byLink, gitea.Options{CloneProtocol: "https", ExcludeArchivedRepos: true}, []gitops.HostRepository{entry("1", "app", "https://gitea.example.com/acme/app", "main", "gitops", "bug", "big")}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			serve(c.end)(server)
			got, err := open(t, server, c.o).Repositories(t.Context())
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: (-want +got):\n%s%v", c.reason, diff, err)
			}
		})
	}
}

func TestDefaultBranchIsGone(t *testing.T) {
	server := hosttest.NewServer(t)
	paged(server, "/api/v1/orgs/acme/repos", byLink, "["+repo(1, "app", false, false)+"]")
	paged(server, "/api/v1/repos/acme/app/labels", byEmptyPage)
	_, err := open(t, server, gitea.Options{}).Repositories(t.Context())
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.NotFound || !strings.Contains(err.Error(), `the default branch "main" of app`) {
		t.Errorf("got %v", err)
	}
}

func TestSamePageTwice(t *testing.T) {
	server := hosttest.NewServer(t)
	server.JSON("GET /api/v1/orgs/acme/repos", "["+repo(1, "app", false, false)+"]")
	if _, err := open(t, server, gitea.Options{}).Repositories(t.Context()); err == nil || !strings.Contains(err.Error(), "same page twice") {
		t.Errorf("got %v", err)
	}
}

func TestBranches(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(byLink)(server)
	got, err := open(t, server, gitea.Options{}).Branches(t.Context(), entry("1", "app", "git@gitea.example.com:acme/app.git", "main", "gitops", "bug", "big"))
	var want []gitops.HostRepository
	for _, b := range []string{"main", "x", "feature/x"} {
		want = append(want, entry("1", "app", "git@gitea.example.com:acme/app.git", b, "gitops", "bug", "big"))
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}

func TestHasPath(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(byLink)(server)
	c := open(t, server, gitea.Options{})
	r := gitops.HostRepository{Organization: "acme", Repository: "app", Branch: "feature/x"}
	for path, want := range map[string]bool{"deploy/a.yaml": true, "deploy": true, "/deploy/": true, "none": false} {
		if got, err := c.HasPath(t.Context(), r, path); err != nil || got != want {
			t.Errorf("%q: %t, %v", path, got, err)
		}
	}
	if asked := server.Asked(); !strings.HasSuffix(asked[0], "?ref=feature%2Fx") {
		t.Errorf("the branch is asked for: %s", asked[0])
	}
	for name, answer := range map[string]http.HandlerFunc{"error": hosttest.Answer(500, ""), "page": hosttest.Answer(200, "<html>")} {
		server.Fail(answer)
		if _, err := c.HasPath(t.Context(), r, "deploy"); err == nil {
			t.Errorf("%s is no answer", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.HasPath(ctx, r, "deploy"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPullRequests(t *testing.T) {
	server := hosttest.NewServer(t)
	pull := func(n int, labels string) string {
		return fmt.Sprintf(`{"number":%d,"title":"Change %d","user":{"login":"jo"},"labels":[%s],"head":{"ref":"feature/x","sha":%q,"repo":null},"base":{"ref":"main"},"created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-03T03:04:05Z"}`, n, n, labels, sha)
	}
	paged(server, "/api/v1/repos/acme/app/pulls", byLink, "["+pull(7, `{"name":"preview"}`)+","+pull(8, "")+"]", "["+pull(9, `{"name":"big"},{"name":"preview"}`)+"]")
	one := func(n int64, labels ...string) gitops.PullRequest {
		return gitops.PullRequest{
			Number: n, Title: fmt.Sprintf("Change %d", n), Branch: "feature/x", TargetBranch: "main", HeadSHA: sha, Author: "jo", Labels: labels,
			Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Updated: time.Date(2026, 1, 3, 3, 4, 5, 0, time.UTC),
		}
	}
	for name, c := range map[string]struct {
		labels []string
		want   []gitops.PullRequest
	}{
		"all":    {nil, []gitops.PullRequest{one(7, "preview"), one(8), one(9, "big", "preview")}},
		"label":  {[]string{"preview"}, []gitops.PullRequest{one(7, "preview"), one(9, "big", "preview")}},
		"labels": {[]string{"preview", "big"}, []gitops.PullRequest{one(9, "big", "preview")}},
	} {
		got, err := open(t, server, gitea.Options{Repository: "app", Labels: c.labels}).PullRequests(t.Context())
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: (-want +got):\n%s%v", name, diff, err)
		}
	}
	if asked := server.Asked()[0]; !strings.Contains(asked, "state=open") {
		t.Errorf("only open ones are asked for: %s", asked)
	}
}

func TestFaults(t *testing.T) {
	hosttest.Faults(t, serve(byLink), func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
		_, err := open(t, s, gitea.Options{HTTP: o}).Repositories(ctx)
		return err
	})
	hosttest.Faults(t, func(s *hosttest.Server) { paged(s, "/api/v1/repos/acme/app/pulls", byLink, "[]") }, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
		_, err := open(t, s, gitea.Options{HTTP: o, Repository: "app"}).PullRequests(ctx)
		return err
	})
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]gitea.Options{
		"nothing":  {},
		"no api":   {Owner: "acme"},
		"protocol": {Owner: "acme", API: "https://h", CloneProtocol: "ftp"},
		"owner":    {Owner: "a/b", API: "https://h"},
		"repo":     {Owner: "acme", Repository: "..", API: "https://h"},
	} {
		_, err := gitea.New(o)
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != gitops.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
