package webhook

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const azureBody = `{"eventType":"git.push","resource":{"repository":{"name":"repo","remoteUrl":"https://org@dev.azure.com/org/proj/_git/repo","project":{"name":"proj"}},
	"refUpdates":[{"name":"refs/heads/main","newObjectId":"abc"}]}}`

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// Of each host the form that its documentation shows, cut to what is read.
var eventCases = map[string]struct {
	reason string
	host   int
	header map[string]string
	body   string
	want   []Event
}{
	"GitHub pull request": {
		"opened", 1, map[string]string{"X-GitHub-Event": "pull_request"},
		`{"action":"opened","number":2,"repository":{"full_name":"Org/repo","html_url":"https://github.com/Org/repo","owner":{"login":"Org"}}}`,
		[]Event{{Host: "github", Address: "https://github.com/Org/repo", Path: "Org/repo", PullRequest: true}},
	},
	"GitHub review":     {"changes no list", 1, map[string]string{"X-GitHub-Event": "pull_request"}, `{"action":"assigned","repository":{"full_name":"Org/repo"}}`, nil},
	"GitHub issue":      {"no event of interest", 1, map[string]string{"X-GitHub-Event": "issues"}, `{"action":"opened","repository":{"full_name":"Org/repo"}}`, nil},
	"GitHub repository": {"a new one", 1, map[string]string{"X-GitHub-Event": "repository"}, `{"action":"created","repository":{"full_name":"Org/new"}}`, []Event{{Host: "github", Path: "Org/new"}}},
	"GitHub push":       {"moves a branch", 1, map[string]string{"X-GitHub-Event": "push"}, `{"repository":{"full_name":"Org/new"}}`, []Event{{Host: "github", Path: "Org/new"}}},
	"Gitea": {
		"synchronized, with GitHub's headers too", 0, map[string]string{"X-Gitea-Event": "pull_request_sync", "X-GitHub-Event": "pull_request"},
		`{"action":"synchronized","repository":{"full_name":"org/repo","html_url":"https://gitea.example.org/org/repo"}}`,
		[]Event{{Host: "gitea", Address: "https://gitea.example.org/org/repo", Path: "org/repo", PullRequest: true}},
	},
	"GitLab": {
		"merged", 2, map[string]string{"X-Gitlab-Event": "Merge Request Hook"},
		`{"object_kind":"merge_request","project":{"id":1,"web_url":"https://gitlab.com/g/sub/r","path_with_namespace":"g/sub/r"},"object_attributes":{"action":"merge","target_project_id":1}}`,
		[]Event{{Host: "gitlab", Address: "https://gitlab.com/g/sub/r", Path: "g/sub/r", ID: "1", PullRequest: true}},
	},
	"GitLab approval": {
		"changes no list", 2, map[string]string{"X-Gitlab-Event": "Merge Request Hook"},
		`{"object_kind":"merge_request","project":{"id":1},"object_attributes":{"action":"approved"}}`, nil,
	},
	"GitLab system": {
		"a new project", 2, map[string]string{"X-Gitlab-Event": "System Hook", "X-Gitlab-Instance": "https://gitlab.example.org"},
		`{"event_name":"project_create","project_id":74,"path_with_namespace":"g/new"}`,
		[]Event{{Host: "gitlab", Address: "https://gitlab.example.org", Path: "g/new", ID: "74"}},
	},
	"Bitbucket": {
		"declined", 3, map[string]string{"X-Event-Key": "pullrequest:rejected", "X-Hook-UUID": "{uuid}"},
		`{"repository":{"full_name":"team/repo","links":{"html":{"href":"https://bitbucket.org/team/repo"}}}}`,
		[]Event{{Host: "bitbucket", Address: "https://bitbucket.org/team/repo", Path: "team/repo", PullRequest: true}},
	},
	"Bitbucket comment": {"changes no list", 3, map[string]string{"X-Event-Key": "pullrequest:comment_created", "X-Hook-UUID": "{uuid}"}, `{"repository":{"full_name":"team/repo"}}`, nil},
	"Bitbucket Server": {
		"new commits; the repository is the target's", 4, map[string]string{"X-Event-Key": "pr:from_ref_updated"},
		`{"pullRequest":{"fromRef":{"repository":{"slug":"fork","project":{"key":"~ann"}}},"toRef":{"repository":{"slug":"repo","project":{"key":"PRJ"}}},"links":{"self":[{"href":"https://bb.example.org/projects/PRJ/repos/repo/pull-requests/1"}]}}}`,
		[]Event{{Host: "bitbucketserver", Address: "https://bb.example.org/projects/PRJ/repos/repo/pull-requests/1", Path: "PRJ/repo", PullRequest: true}},
	},
	"Azure DevOps": {
		"completed", 5, map[string]string{"X-Vss-Activityid": "1"},
		`{"eventType":"git.pullrequest.merged","resource":{"repository":{"name":"repo","remoteUrl":"https://org@dev.azure.com/org/proj/_git/repo","project":{"name":"proj"}}}}`,
		[]Event{{Host: "azuredevops", Address: "https://dev.azure.com/org/proj/_git/repo", Path: "proj/repo", PullRequest: true}},
	},
	"Azure build": {"no event of interest", 5, map[string]string{"X-Vss-Activityid": "1"}, `{"eventType":"build.complete","resource":{"repository":{"name":"repo"}}}`, nil},
}

func TestEvents(t *testing.T) {
	for name, c := range eventCases {
		t.Run(name, func(t *testing.T) {
			var got []Event
			h := &Handler{
				Secrets: knows(Secrets{}), Push: func(context.Context, Push) {},
				Event: func(_ context.Context, e Event) { got = append(got, e) }, Log: slog.New(slog.DiscardHandler),
			}
			req := httptest.NewRequest(http.MethodPost, "/api/webhook", strings.NewReader(c.body))
			for k, v := range c.header {
				req.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			if d := cmp.Diff(c.want, got); d != "" || w.Code != http.StatusOK {
				t.Errorf("%s: status %d (-want +got):\n%s", c.reason, w.Code, d)
			}
		})
	}
}
