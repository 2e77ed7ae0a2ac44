package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// received is what a handler makes of an event of a host without a secret.
func received(t *testing.T, header map[string]string, body string) (pushes []Push, events []Event, answer string) {
	t.Helper()
	h := &Handler{
		Secrets: knows(Secrets{}), Log: slog.New(slog.DiscardHandler),
		Push: func(_ context.Context, p Push) { pushes = append(pushes, p) }, Event: func(_ context.Context, e Event) { events = append(events, e) },
	}
	w := post(t.Context(), h, strings.NewReader(body), header)
	return pushes, events, fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
}

// Servers that send no address to clone from have one all the same, by what they show: under a
// path of their own, and of people, whose pages are elsewhere than those of projects.
func TestAddressesThatBitbucketServersDoNotTell(t *testing.T) {
	for name, tc := range map[string]struct{ reason, self, project, slug, want string }{
		"Project":         {"a project's", "https://bb.example.org/projects/PRJ/repos/repo/browse", "PRJ", "repo", "https://bb.example.org/scm/prj/repo.git"},
		"Person":          {"a person's", "https://bb.example.org/users/ann/repos/dots/browse", "~ANN", "dots", "https://bb.example.org/scm/~ann/dots.git"},
		"Person, path":    {"also below a path", "https://example.org/git/users/ann/repos/dots/browse", "~ann", "dots", "https://example.org/git/scm/~ann/dots.git"},
		"Person, project": {"a person is a project, too", "https://bb.example.org/projects/~ann/repos/dots/browse", "~ann", "dots", "https://bb.example.org/scm/~ann/dots.git"},
		"Path":            {"a path may be called so", "https://example.org/users/git/projects/PRJ/repos/repo/browse", "PRJ", "repo", "https://example.org/users/git/scm/prj/repo.git"},
		"No project":      {"without a project there is none", "https://bb.example.org/projects/PRJ", "", "repo", ""},
		"No address":      {"nor without an address", "://", "PRJ", "repo", ""},
	} {
		body := fmt.Sprintf(`{"repository":{"slug":%q,"project":{"key":%q},"links":{"self":[{"href":%q}]}},"changes":[{"ref":{"id":"refs/heads/main"}}]}`, tc.slug, tc.project, tc.self)
		pushes, _, answer := received(t, map[string]string{"X-Event-Key": "repo:refs_changed"}, body)
		got := ""
		if len(pushes) > 0 {
			got = strings.Join(pushes[0].RepoURLs, " ")
		}
		if got != tc.want || !strings.HasPrefix(answer, "200") {
			t.Errorf("%s: %s: it is at %q, want %q: %s", name, tc.reason, got, tc.want, answer)
		}
	}
}

// Events that concern a repository in a way of their own are about it, by all that is told of it;
// what is about none is taken, and nothing follows.
func TestEventsAboutRepositories(t *testing.T) {
	gitlab, server := "X-Gitlab-Event", "X-Event-Key"
	for name, tc := range map[string]struct {
		reason, header, kind, body string
		want                       *Event
	}{
		"Renamed":     {"a renamed repository is told by its new name", server, "repo:modified", `{"old":{"slug":"a","project":{"key":"P"}},"new":{"slug":"b","project":{"key":"P"},"links":{"self":[{"href":"https://bb/b"}]}}}`, &Event{Host: "bitbucketserver", Address: "https://bb/b", Path: "P/b"}},
		"Anonymous":   {"one without a project is none", server, "repo:modified", `{"new":{"slug":"b"}}`, nil},
		"System push": {"a system hook tells of pushes as a repository's does", gitlab, "System Hook", `{"object_kind":"push","event_name":"push","project":{"id":7,"web_url":"https://gl/g/r","path_with_namespace":"g/r"}}`, &Event{Host: "gitlab", Address: "https://gl/g/r", Path: "g/r", ID: "7"}},
		"Number":      {"a number names it as well", gitlab, "System Hook", `{"event_name":"project_destroy","project_id":7}`, &Event{Host: "gitlab", ID: "7"}},
		"Target":      {"a merge request is of where it goes to", gitlab, "Merge Request Hook", `{"object_kind":"merge_request","project":{"id":7},"object_attributes":{"action":"open","target_project_id":9}}`, &Event{Host: "gitlab", ID: "9", PullRequest: true}},
		"People":      {"what becomes of people is nothing of it", gitlab, "System Hook", `{"event_name":"user_create","project_id":7}`, nil},
		"Pipeline":    {"nor are pipelines", gitlab, "Pipeline Hook", `{"object_kind":"pipeline","project":{"id":7}}`, nil},
		"Nameless":    {"one that names none is about none", "X-Github-Event", "push", `{"repository":{}}`, nil},
		"Created":     {"Gitea tells of a new branch by its name", "X-Gitea-Event", "create", `{"ref":"a","ref_type":"branch","repository":{"full_name":"o/r"}}`, &Event{Host: "gitea", Path: "o/r"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, events, answer := received(t, map[string]string{tc.header: tc.kind}, tc.body)
			var want []Event
			if tc.want != nil {
				want = []Event{*tc.want}
			}
			if diff := cmp.Diff(want, events); diff != "" || !strings.HasPrefix(answer, "200") {
				t.Errorf("%s: %s (-want +got):\n%s", tc.reason, answer, diff)
			}
			if ignored := strings.Contains(answer, "ignored: the event changes nothing here"); ignored != (want == nil) {
				t.Errorf("%s: the sender is told %s", tc.reason, answer)
			}
		})
	}
}

// Forms are taken as GitHub sends them, among other fields; what is none is said to be none.
func TestEventsInForms(t *testing.T) {
	github := map[string]string{"X-GitHub-Event": "push"}
	event := `{"ref":"refs/heads/a","repository":{"full_name":"o/r","html_url":"https://github.com/o/r?a=b&c=%20"}}`
	for name, tc := range map[string]struct{ reason, body, answer string }{
		"Alone":  {"the payload alone", "payload=" + url.QueryEscape(event), "200 accepted"},
		"Among":  {"among others", "a=b&payload=" + url.QueryEscape(event) + "&payload=x", "200 accepted"},
		"Broken": {"one that is not encoded", "payload=%zz", "400 cannot read the event"},
		"Other":  {"a form of something else", "a=b", "400 cannot read the event"},
		"Empty":  {"nothing at all", "", "400 cannot read the event"},
	} {
		pushes, _, answer := received(t, github, tc.body)
		if answer != tc.answer || (len(pushes) == 1) != (tc.answer == "200 accepted") || len(pushes) > 0 && pushes[0].RepoURLs[0] != "https://github.com/o/r?a=b&c=%20" {
			t.Errorf("%s: %s: answered with %s, and %v", name, tc.reason, answer, pushes)
		}
	}
}

// Some hosts have one of two secrets, or another one's: who has one knows it, and no other sender
// is believed.
func TestSecretsThatHostsShare(t *testing.T) {
	gitea := func(secret string) map[string]string {
		return map[string]string{"X-Gitea-Event": "push", "X-Gitea-Signature": sign(secret, githubBody)}
	}
	azure := func(user, password string) map[string]string {
		return map[string]string{"X-Vss-Activityid": "1", "Authorization": basic(user, password)}
	}
	for name, tc := range map[string]struct {
		reason  string
		secrets Secrets
		header  map[string]string
		want    int
	}{
		"Gitea":           {"Gitea has GitHub's where it has none", Secrets{GitHub: []byte("gh")}, gitea("gh"), http.StatusOK},
		"Gitea, other":    {"and no other one", Secrets{GitHub: []byte("gh")}, gitea("x"), http.StatusUnauthorized},
		"Gitea, its own":  {"where it has one, GitHub's is another's", Secrets{GitHub: []byte("gh"), Gitea: []byte("gt")}, gitea("gh"), http.StatusUnauthorized},
		"GitHub, Gitea's": {"nor is Gitea's GitHub's", Secrets{Gitea: []byte("gt")}, map[string]string{"X-Github-Event": "push"}, http.StatusOK},
		"Azure, password": {"a password alone is asked for alone", Secrets{AzurePassword: []byte("az")}, azure("anybody", "az"), http.StatusOK},
		"Azure, wrong":    {"and has to be right", Secrets{AzurePassword: []byte("az")}, azure("anybody", ""), http.StatusUnauthorized},
		"Azure, name":     {"so it is with a name", Secrets{AzureUser: []byte("ann")}, azure("eve", ""), http.StatusUnauthorized},
		"Azure, neither":  {"who says neither is nobody", Secrets{AzureUser: []byte("ann")}, map[string]string{"X-Vss-Activityid": "1"}, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			body := githubBody
			if tc.header["X-Vss-Activityid"] != "" {
				body = azureBody
			}
			h := &Handler{Secrets: knows(tc.secrets), Log: slog.New(slog.DiscardHandler), Push: func(context.Context, Push) {}, Event: func(context.Context, Event) {}}
			if w := post(t.Context(), h, strings.NewReader(body), tc.header); w.Code != tc.want {
				t.Errorf("%s: answered with %d %s", tc.reason, w.Code, w.Body)
			}
		})
	}
}
