package gitlab_test

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
	"github.com/causeway-gitops/causeway/internal/host/gitlab"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

var (
	_ host.Forge     = (*gitlab.Client)(nil)
	_ host.Lister    = (*gitlab.Client)(nil)
	_ host.Reviews   = (*gitlab.Client)(nil)
	_ host.Commenter = (*gitlab.Client)(nil)
)

const sha = hosttest.SHA

func open(t *testing.T, s *hosttest.Server, o gitlab.Options) *gitlab.Client {
	t.Helper()
	o.API, o.Token = s.URL, hosttest.SignIn
	if o.Project == "" {
		o.Group = "acme/apps"
	}
	c, err := gitlab.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// paged answers in GitLab's form: X-Next-Page, which is empty on the last page.
func paged(s *hosttest.Server, pattern string, choose func(*http.Request) []string) {
	s.Handle("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
		pages := choose(r)
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		n = max(n, 1)
		w.Header().Set("X-Page", strconv.Itoa(n))
		w.Header().Set("X-Next-Page", "")
		if n < len(pages) {
			w.Header().Set("X-Next-Page", strconv.Itoa(n+1))
		}
		fmt.Fprint(w, pages[n-1])
	})
}

func always(pages ...string) func(*http.Request) []string {
	return func(*http.Request) []string { return pages }
}

func project(id int, path, branch string, archived bool) string {
	return fmt.Sprintf(`{"id":%d,"path":%q,"name":"Shown Name","namespace":{"full_path":"acme/apps/team"},"default_branch":%q,"archived":%t,"topics":[],"tag_list":["gitops"],
		"ssh_url_to_repo":"git@gitlab.com:acme/%s.git","http_url_to_repo":"https://gitlab.com/acme/%s.git"}`, id, path, branch, archived, path, path)
}

func branch(name string) string { return fmt.Sprintf(`{"name":%q,"commit":{"id":%q}}`, name, sha) }

// serve is a group with two projects on two pages, an empty one and one that
// is archived.
func serve(s *hosttest.Server) {
	s.Require("Private-Token", hosttest.Token)
	paged(s, "/api/v4/groups/acme%2Fapps/projects", func(r *http.Request) []string {
		if r.URL.Query().Get("archived") == "true" {
			return []string{"[" + project(4, "old", "main", true) + "," + project(1, "app", "main", false) + "]"}
		}
		return []string{"[" + project(1, "app", "main", false) + "," + project(2, "empty", "", false) + "," + project(5, "off", "main", false) + "]", "[" + project(3, "lib", "feature/x", false) + "]"}
	})
	s.JSON("GET /api/v4/projects/1/repository/branches/main", branch("main"))
	s.JSON("GET /api/v4/projects/3/repository/branches/feature%2Fx", branch("feature/x"))
	s.JSON("GET /api/v4/projects/4/repository/branches/main", branch("main"))
	paged(s, "/api/v4/projects/1/repository/branches", always("["+branch("main")+"]", "["+branch("feature/x")+"]"))
	s.Handle("HEAD /api/v4/projects/1/repository/files/deploy%2Fvalues.yaml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Gitlab-Size", "12")
	})
	s.Handle("GET /api/v4/projects/1/repository/tree", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("path") {
		case "", "deploy":
			fmt.Fprint(w, `[{"id":"a","name":"values.yaml","type":"blob","path":"deploy/values.yaml"}]`)
		case "none-in-old-versions":
			fmt.Fprint(w, `[]`)
		default:
			hosttest.Answer(404, `{"message":"404 Tree Not Found"}`)(w, r)
		}
	})
}

func entry(id, name, address, branch string, archived bool) gitops.HostRepository {
	return gitops.HostRepository{Organization: "acme/apps/team", Repository: name, ID: id, URL: address, Branch: branch, SHA: sha, Labels: []string{"gitops"}, Archived: archived}
}

func TestRepositories(t *testing.T) {
	app, lib := entry("1", "app", "git@gitlab.com:acme/app.git", "main", false), entry("3", "lib", "git@gitlab.com:acme/lib.git", "feature/x", false)
	cases := map[string]struct {
		reason string
		o      gitlab.Options
		want   []gitops.HostRepository
		asked  string
	}{
		"ssh": {
			"ssh, without what is archived, empty or switched off", gitlab.Options{},
			[]gitops.HostRepository{app, lib}, "archived=false&include_subgroups=false&page=1&per_page=100&with_shared=true",
		},
		"https": {
			"the parameters reach GitLab", gitlab.Options{CloneProtocol: "https", IncludeSubgroups: true, ExcludeSharedProjects: true, Topic: "gitops"},
			[]gitops.HostRepository{entry("1", "app", "https://gitlab.com/acme/app.git", "main", false), entry("3", "lib", "https://gitlab.com/acme/lib.git", "feature/x", false)},
			"archived=false&include_subgroups=true&page=1&per_page=100&topic=gitops&with_shared=false",
		},
		"archived": {
			"archived ones too, and each once", gitlab.Options{IncludeArchivedRepos: true},
			[]gitops.HostRepository{app, lib, entry("4", "old", "git@gitlab.com:acme/old.git", "main", true)}, "archived=false",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			serve(server)
			got, err := open(t, server, c.o).Repositories(t.Context())
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%s: (-want +got):\n%s%v", c.reason, diff, err)
			}
			if asked := server.Asked()[0]; !strings.Contains(asked, "?"+c.asked) {
				t.Errorf("%s: asked %s", c.reason, asked)
			}
		})
	}
}

func TestBranches(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(server)
	got, err := open(t, server, gitlab.Options{}).Branches(t.Context(), entry("1", "app", "git@gitlab.com:acme/app.git", "main", false))
	want := []gitops.HostRepository{entry("1", "app", "git@gitlab.com:acme/app.git", "main", false), entry("1", "app", "git@gitlab.com:acme/app.git", "feature/x", false)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}

func TestHasPath(t *testing.T) {
	server := hosttest.NewServer(t)
	serve(server)
	c := open(t, server, gitlab.Options{})
	r := gitops.HostRepository{Organization: "acme/apps", Repository: "app", ID: "1", Branch: "feature/x"}
	for path, want := range map[string]bool{"deploy/values.yaml": true, "deploy": true, "/deploy/": true, "": true, "none": false, "none-in-old-versions": false} {
		if got, err := c.HasPath(t.Context(), r, path); err != nil || got != want {
			t.Errorf("%q: %t, %v", path, got, err)
		}
	}
	for _, asked := range server.Asked() {
		if !strings.Contains(asked, "ref=feature%2Fx") {
			t.Errorf("the branch is asked for: %s", asked)
		}
	}
	if _, err := c.HasPath(t.Context(), r, "a/../.."); err == nil {
		t.Error("a path must stay within the repository")
	}
	server.Fail(hosttest.Answer(500, ""))
	if _, err := c.HasPath(t.Context(), r, "deploy"); err == nil {
		t.Error("an error is no answer")
	}
}

func request(n int, draft bool) string {
	return fmt.Sprintf(`{"iid":%d,"title":"Change %d","draft":%t,"source_branch":"feature/x","target_branch":"main","sha":%q,"labels":["preview"],"author":{"username":"jo"},
		"state":"opened","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-03T03:04:05Z"}`, n, n, draft, sha)
}

func TestPullRequests(t *testing.T) {
	server := hosttest.NewServer(t)
	paged(server, "/api/v4/projects/acme%2Fapps%2Fapp/merge_requests", always("["+request(7, false)+"]", "["+request(9, true)+"]"))
	one := func(n int64) gitops.PullRequest {
		return gitops.PullRequest{
			Number: n, Title: fmt.Sprintf("Change %d", n), Branch: "feature/x", TargetBranch: "main", HeadSHA: sha, Author: "jo", Labels: []string{"preview"},
			Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Updated: time.Date(2026, 1, 3, 3, 4, 5, 0, time.UTC),
		}
	}
	cases := map[string]struct {
		reason string
		o      gitlab.Options
		asked  string
	}{
		"all":    {"any state", gitlab.Options{}, "?page=1&per_page=100"},
		"narrow": {"GitLab filters", gitlab.Options{Labels: []string{"preview", "big"}, PullRequestState: "opened"}, "?labels=preview%2Cbig&page=1&per_page=100&state=opened"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := len(server.Asked())
			c.o.Project = "acme/apps/app"
			got, err := open(t, server, c.o).PullRequests(t.Context())
			if diff := cmp.Diff([]gitops.PullRequest{one(7), one(9)}, got); diff != "" || err != nil {
				t.Errorf("%s: (-want +got):\n%s%v", c.reason, diff, err)
			}
			if asked := server.Asked()[before]; !strings.HasSuffix(asked, c.asked) {
				t.Errorf("%s: asked %s", c.reason, asked)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	hosttest.Faults(t, serve, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
		_, err := open(t, s, gitlab.Options{HTTP: o}).Repositories(ctx)
		return err
	})
	hosttest.Faults(t, func(s *hosttest.Server) {
		paged(s, "/api/v4/projects/7/merge_requests", always("["+request(7, false)+"]"))
	}, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
		_, err := open(t, s, gitlab.Options{HTTP: o, Project: "7"}).PullRequests(ctx)
		return err
	})
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]gitlab.Options{
		"nothing":  {},
		"protocol": {Group: "acme", CloneProtocol: "ftp"},
		"api":      {Group: "acme", API: "git.example.com"},
		"ca":       {Group: "acme", HTTP: wire.Options{CA: "x"}},
	} {
		_, err := gitlab.New(o)
		var p *gitops.Problem
		if !errors.As(err, &p) || p.Kind != gitops.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := gitlab.New(gitlab.Options{Group: "acme", API: "https://git.example.com/api/v4/"}); err != nil {
		t.Error(err)
	}
}
