package bitbucket_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host"
	"github.com/causeway-gitops/causeway/internal/host/bitbucket"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

var (
	_ host.Forge   = (*bitbucket.Client)(nil)
	_ host.Lister  = (*bitbucket.Client)(nil)
	_ host.Reviews = (*bitbucket.Reviews)(nil)
)

const sha = hosttest.SHA

const app = `{"type":"repository","uuid":"{a-1}","slug":"app","name":"The App","mainbranch":{"type":"branch","name":"main"},
	"links":{"clone":[{"name":"https","href":"https://me@bitbucket.org/acme/app.git"},{"name":"ssh","href":"git@bitbucket.org:acme/app.git"}]}}`

func basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+hosttest.Token))
}

// workspace is acme with app, an empty repository, and lib on a second page.
func workspace(s *hosttest.Server) {
	s.Require("Authorization", basic())
	s.Handle("GET /2.0/repositories/acme", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("role") != "member" || r.URL.Query().Get("pagelen") != "100" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body := `{"pagelen":100,"page":1,"values":[` + app + `,{"uuid":"{e}","slug":"empty","mainbranch":null,"links":{"clone":[]}}],"next":"$URL/2.0/repositories/acme?role=member&pagelen=100&page=2"}`
		if r.URL.Query().Get("page") == "2" {
			body = `{"pagelen":100,"page":2,"values":[` + strings.NewReplacer("app", "lib", "{a-1}", "{l}", `"main"`, `"release/1"`).Replace(app) + `]}`
		}
		hosttest.Answer(200, strings.ReplaceAll(body, "$URL", s.URL))(w, r)
	})
	s.JSON("GET /2.0/repositories/acme/app/refs/branches/main", `{"name":"main","target":{"type":"commit","hash":"`+sha+`"}}`)
	s.JSON("GET /2.0/repositories/acme/lib/refs/branches/release/1", `{"name":"release/1","target":{"hash":"`+sha+`"}}`)
}

func open(t *testing.T, s *hosttest.Server, o bitbucket.Options) *bitbucket.Client {
	t.Helper()
	o.API, o.Owner, o.User, o.AppPassword = s.URL+"/2.0/", "acme", "me", hosttest.Token
	c, err := bitbucket.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRepositories(t *testing.T) {
	cases := map[string]struct {
		reason   string
		protocol string
		want     string
	}{
		"default": {"ssh is what is cloned by", "", "git@bitbucket.org:acme/app.git"},
		"ssh":     {"the same in words", "ssh", "git@bitbucket.org:acme/app.git"},
		"https":   {"the address is the host's own, with the name in it", "https", "https://me@bitbucket.org/acme/app.git"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			workspace(s)
			got, err := open(t, s, bitbucket.Options{CloneProtocol: c.protocol}).Repositories(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := []gitops.HostRepository{
				{Organization: "acme", Repository: "app", ID: "{a-1}", URL: c.want, Branch: "main", SHA: sha},
				{Organization: "acme", Repository: "lib", ID: "{l}", URL: strings.ReplaceAll(c.want, "app", "lib"), Branch: "release/1", SHA: sha},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestNamesSpendNoRequests(t *testing.T) {
	s := hosttest.NewServer(t)
	workspace(s)
	got, err := open(t, s, bitbucket.Options{}).Names(t.Context())
	if err != nil || len(got) != 2 || len(s.Asked()) != 2 {
		t.Errorf("%d names, %v, after %v", len(got), err, s.Asked())
	}
}

func TestBranches(t *testing.T) {
	s := hosttest.NewServer(t)
	s.Handle("GET /2.0/repositories/acme/app/refs/branches", func(w http.ResponseWriter, r *http.Request) {
		body := `{"values":[{"name":"main","target":{"hash":"` + sha + `"}}],"next":"$URL/2.0/repositories/acme/app/refs/branches?page=2"}`
		if r.URL.Query().Get("page") == "2" {
			body = `{"values":[{"name":"feature/x","target":{"hash":"abc"}}]}`
		}
		hosttest.Answer(200, strings.ReplaceAll(body, "$URL", s.URL))(w, r)
	})
	from := gitops.HostRepository{Organization: "acme", Repository: "app", ID: "{a-1}", URL: "u", Branch: "main"}
	got, err := open(t, s, bitbucket.Options{}).Branches(t.Context(), from)
	one, two := from, from
	one.SHA, two.Branch, two.SHA = sha, "feature/x", "abc"
	if diff := cmp.Diff([]gitops.HostRepository{one, two}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestHasPath(t *testing.T) {
	s := hosttest.NewServer(t)
	workspace(s)
	s.JSON("GET /2.0/repositories/acme/app/src/"+sha+"/deploy/a b/x.yaml", `{"type":"commit_file"}`)
	s.JSON("GET /2.0/repositories/acme/app/src/"+sha+"/deploy", `{"type":"commit_directory"}`)
	s.Handle("GET /2.0/repositories/acme/app/src/"+sha+"/locked", hosttest.Answer(403, `{"error":{"message":"no"}}`))
	c := open(t, s, bitbucket.Options{})
	cases := map[string]struct {
		reason string
		path   string
		known  bool
		want   bool
		fails  bool
	}{
		"file":    {"names are escaped", "deploy/a b/x.yaml", true, true, false},
		"folder":  {"slashes at the ends do not count", "/deploy/", true, true, false},
		"missing": {"404 is an answer", "deploy/none", true, false, false},
		"asked":   {"the commit is looked up when it is not known", "deploy", false, true, false},
		"root":    {"it is always there", "/", true, true, false},
		"outside": {"a path that leads out would ask for something else", "../../lib", true, false, true},
		"locked":  {"403 is no answer", "locked", true, false, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := gitops.HostRepository{Organization: "acme", Repository: "app", Branch: "main"}
			if tc.known {
				r.SHA = sha
			}
			got, err := c.HasPath(t.Context(), r, tc.path)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
		})
	}
}

const pulls = `{"values":[
	{"id":1,"title":"Add","author":{"nickname":"ann"},"created_on":"2026-05-01T10:00:00.5+00:00","updated_on":"2026-05-02T10:00:00Z",
	 "source":{"branch":{"name":"feature/x"},"commit":{"hash":"6dcb09b5b578"}},"destination":{"branch":{"name":"main"},"commit":{"hash":"aaa"}}}],
	"next":"$URL/2.0/repositories/acme/app/pullrequests?page=2"}`

func repository(s *hosttest.Server) {
	s.Handle("GET /2.0/repositories/acme/app/pullrequests", func(w http.ResponseWriter, r *http.Request) {
		body := pulls
		if r.URL.Query().Get("page") == "2" {
			body = `{"values":[{"id":2,"title":"Of a fork that is gone","author":null,"source":{"branch":{"name":"y"},"commit":null,"repository":null},"destination":{"branch":{"name":"main"}}}]}`
		}
		hosttest.Answer(200, strings.ReplaceAll(body, "$URL", s.URL))(w, r)
	})
}

func TestPullRequests(t *testing.T) {
	cases := map[string]struct {
		reason string
		o      bitbucket.ReviewOptions
		want   string
	}{
		"token": {"a token beats a name", bitbucket.ReviewOptions{BearerToken: hosttest.Token, Username: "me", Password: "x"}, "Bearer " + hosttest.Token},
		"basic": {"name and password", bitbucket.ReviewOptions{Username: "me", Password: hosttest.Token}, basic()},
		"none":  {"public repositories need nothing", bitbucket.ReviewOptions{}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			repository(s)
			s.Require("Authorization", c.want)
			c.o.API, c.o.Owner, c.o.Repo = s.URL+"/2.0", "acme", "app"
			r, err := bitbucket.NewReviews(c.o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.PullRequests(t.Context())
			want := []gitops.PullRequest{
				{Number: 1, Title: "Add", Branch: "feature/x", TargetBranch: "main", HeadSHA: "6dcb09b5b578", Author: "ann",
					Created: time.Date(2026, 5, 1, 10, 0, 0, 5e8, time.UTC), Updated: time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)},
				{Number: 2, Title: "Of a fork that is gone", Branch: "y", TargetBranch: "main"},
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Run("repositories", func(t *testing.T) {
		hosttest.Faults(t, workspace, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
			_, err := open(t, s, bitbucket.Options{HTTP: o}).Repositories(ctx)
			return err
		})
	})
	t.Run("pull requests", func(t *testing.T) {
		hosttest.Faults(t, repository, func(ctx context.Context, s *hosttest.Server, o wire.Options) error {
			r, err := bitbucket.NewReviews(bitbucket.ReviewOptions{API: s.URL + "/2.0", Owner: "acme", Repo: "app", BearerToken: hosttest.Token, HTTP: o})
			if err != nil {
				return err
			}
			_, err = r.PullRequests(ctx)
			return err
		})
	})
}

func TestListsAreWholeOrNothing(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("credentials went elsewhere") }))
	t.Cleanup(elsewhere.Close)
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"no values":    {"another object is not an empty list", `{"size":0}`, "not of the API's form"},
		"null":         {"neither is null", `null`, "not of the API's form"},
		"no name":      {"a repository without a name cannot be asked about", `{"values":[{}]}`, "not of the API's form"},
		"no clone":     {"there is nothing to clone by ssh", `{"values":[{"slug":"x","mainbranch":{"name":"main"}}]}`, "repository x has no address for cloneProtocol ssh"},
		"no commit":    {"a branch has a commit", `{"values":[` + app + `]}`, "404"},
		"other server": {"the next page is at another server", `{"values":[],"next":"` + elsewhere.URL + `/2.0/x"}`, "credentials must not go"},
		"other scheme": {"the next page is of another scheme", `{"values":[],"next":"https://` + strings.TrimPrefix(elsewhere.URL, "http://") + `/2.0/x"}`, "credentials must not go"},
		"broken page":  {"the second page is none", `{"values":[` + app + `],"next":"$URL/2.0/broken"}`, "no JSON"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := hosttest.NewServer(t)
			s.JSON("GET /2.0/repositories/acme", c.body)
			s.JSON("GET /2.0/broken", "oops")
			_, err := open(t, s, bitbucket.Options{}).Repositories(t.Context())
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    func() error
	}{
		"owner":    {"a workspace has to be named", func() error { _, err := bitbucket.New(bitbucket.Options{}); return err }},
		"protocol": {"there is no git protocol", func() error { _, err := bitbucket.New(bitbucket.Options{Owner: "a", CloneProtocol: "git"}); return err }},
		"api":      {"an address that is none", func() error { _, err := bitbucket.New(bitbucket.Options{Owner: "a", API: "bitbucket"}); return err }},
		"repo":     {"a repository has to be named", func() error { _, err := bitbucket.NewReviews(bitbucket.ReviewOptions{Owner: "a"}); return err }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var p *gitops.Problem
			if err := c.err(); !errors.As(err, &p) || p.Kind != gitops.Invalid || p.Fix == "" {
				t.Errorf("%s: got %v", c.reason, err)
			}
		})
	}
	if _, err := bitbucket.New(bitbucket.Options{Owner: "acme"}); err != nil {
		t.Errorf("the public API is the default: %v", err)
	}
}
