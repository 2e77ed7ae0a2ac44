package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	githubBody = `{"ref":"refs/heads/main","after":"abc","commits":[{"added":["b"],"modified":["a"],"removed":[]}],
		"repository":{"html_url":"https://github.com/org/repo","clone_url":"https://github.com/org/repo.git","ssh_url":"git@github.com:org/repo.git","git_url":"git://github.com/org/repo.git"}}`
	gitlabBody = `{"ref":"refs/tags/v1","after":"0000000000000000000000000000000000000000","total_commits_count":30,"commits":[{"added":["b"]}],
		"project":{"web_url":"https://gitlab.com/g/r","git_http_url":"https://gitlab.com/g/r.git","git_ssh_url":"git@gitlab.com:g/r.git"}}`
	bitbucketBody = `{"repository":{"full_name":"team/repo","links":{"html":{"href":"https://bitbucket.org/team/repo"}}},
		"push":{"changes":[{"new":{"type":"branch","name":"main","target":{"hash":"abc"}}},{"new":null,"old":{"type":"tag","name":"v1"}}]}}`
	serverBody = `{"repository":{"slug":"repo","project":{"key":"PRJ"},"links":{"self":[{"href":"https://bb.example.org/ctx/projects/PRJ/repos/repo/browse"}]}},
		"changes":[{"ref":{"id":"refs/heads/main"},"toHash":"abc"}]}`
)

var secrets = Secrets{GitHub: []byte("gh"), GitLab: []byte("gl"), Gitea: []byte("gt"), Bitbucket: []byte("{uuid}"), BitbucketServer: []byte("bs"), AzureUser: []byte("ann"), AzurePassword: []byte("az")}

func knows(s Secrets) func() (Secrets, error) {
	return func() (Secrets, error) { return s, nil }
}

func sign(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func send(t testing.TB, method, body string, header map[string]string) (int, []Push) {
	t.Helper()
	var got []Push
	h := &Handler{Secrets: knows(secrets), Push: func(_ context.Context, p Push) { got = append(got, p) }, Event: func(context.Context, Event) {}, Log: slog.New(slog.DiscardHandler)}
	req := httptest.NewRequest(method, "/api/webhook", strings.NewReader(body))
	for k, v := range header {
		req.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w.Code, got
}

func TestPushes(t *testing.T) {
	github := Push{RepoURLs: []string{"https://github.com/org/repo", "https://github.com/org/repo.git", "git@github.com:org/repo.git", "git://github.com/org/repo.git"}, Moved: []Moved{{"refs/heads/main", "abc"}}, Changed: []string{"a", "b"}}
	form := "payload=" + url.QueryEscape(githubBody)
	cases := map[string]struct {
		reason string
		body   string
		header map[string]string
		want   []Push
	}{
		"GitHub":      {"a push", githubBody, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("gh", githubBody)}, []Push{github}},
		"GitHub form": {"the same in a form", form, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("gh", form)}, []Push{github}},
		"GitHub ping": {"no push", `{}`, map[string]string{"X-GitHub-Event": "ping", "X-Hub-Signature-256": "sha256=" + sign("gh", `{}`)}, nil},
		"Gitea":       {"has GitHub's header too", githubBody, map[string]string{"X-GitHub-Event": "push", "X-Gitea-Event": "push", "X-Gitea-Signature": sign("gt", githubBody)}, []Push{github}},
		"GitLab": {"a deleted tag with more commits than it lists", gitlabBody, map[string]string{"X-Gitlab-Event": "Tag Push Hook", "X-Gitlab-Token": "gl"},
			[]Push{{RepoURLs: []string{"https://gitlab.com/g/r", "https://gitlab.com/g/r.git", "git@gitlab.com:g/r.git"}, Moved: []Moved{{Ref: "refs/tags/v1"}}}}},
		"Bitbucket": {"two changes", bitbucketBody, map[string]string{"X-Event-Key": "repo:push", "X-Hook-UUID": "{uuid}"}, []Push{
			{RepoURLs: []string{"https://bitbucket.org/team/repo", "git@bitbucket.org:team/repo.git"}, Moved: []Moved{{"refs/heads/main", "abc"}, {Ref: "refs/tags/v1"}}},
		}},
		"Bitbucket Server": {"the address to clone is made up", serverBody, map[string]string{"X-Event-Key": "repo:refs_changed", "X-Hub-Signature": "sha256=" + sign("bs", serverBody)},
			[]Push{{RepoURLs: []string{"https://bb.example.org/ctx/scm/prj/repo.git"}, Moved: []Moved{{"refs/heads/main", "abc"}}}}},
		"Azure DevOps": {"with and without the user in the address", azureBody, map[string]string{"X-Vss-Activityid": "1", "Authorization": basic("ann", "az")},
			[]Push{{RepoURLs: []string{"https://org@dev.azure.com/org/proj/_git/repo", "https://dev.azure.com/org/proj/_git/repo"}, Moved: []Moved{{"refs/heads/main", "abc"}}}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			code, got := send(t, http.MethodPost, c.body, c.header)
			if d := cmp.Diff(c.want, got); code != http.StatusOK || d != "" {
				t.Errorf("%s: status %d\n%s", c.reason, code, d)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		method string
		body   string
		header map[string]string
		want   int
	}{
		"GitHub":    {"no signature", http.MethodPost, githubBody, map[string]string{"X-GitHub-Event": "push"}, 401},
		"other key": {"another secret", http.MethodPost, githubBody, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("no", githubBody)}, 401},
		"changed":   {"another body", http.MethodPost, githubBody + " ", map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("gh", githubBody)}, 401},
		"SHA-1":     {"an old signature alone", http.MethodPost, githubBody, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature": "sha1=00"}, 401},
		"disguise":  {"Gitea's header does not save from a signature", http.MethodPost, githubBody, map[string]string{"X-GitHub-Event": "push", "X-Gitea-Event": "push"}, 401},
		"GitLab":    {"a wrong token", http.MethodPost, gitlabBody, map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "glx"}, 401},
		"Bitbucket": {"another hook", http.MethodPost, bitbucketBody, map[string]string{"X-Event-Key": "repo:push", "X-Hook-UUID": "{other}"}, 401},
		"Server":    {"no signature", http.MethodPost, serverBody, map[string]string{"X-Event-Key": "repo:refs_changed"}, 401},
		"Azure":     {"a wrong password", http.MethodPost, azureBody, map[string]string{"X-Vss-Activityid": "1", "Authorization": basic("ann", "no")}, 401},
		"Azure, no": {"no sign-in", http.MethodPost, azureBody, map[string]string{"X-Vss-Activityid": "1"}, 401},
		"unknown":   {"nobody known", http.MethodPost, "{}", nil, 400},
		"broken":    {"no JSON", http.MethodPost, "{", map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "gl"}, 400},
		"method":    {"a visit", http.MethodGet, "", nil, 405},
		"large":     {"too large", http.MethodPost, strings.Repeat(" ", 25<<20+1), map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "gl"}, 413},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			code, got := send(t, c.method, c.body, c.header)
			if code != c.want || got != nil {
				t.Errorf("%s: status %d and %v, want %d", c.reason, code, got, c.want)
			}
		})
	}
}

// TestNobodyIsBelievedBeforeSecretsAreKnown has events come in while nobody can tell
// who signs; what they are told has nothing of why.
func TestNobodyIsBelievedBeforeSecretsAreKnown(t *testing.T) {
	h := &Handler{
		Secrets: func() (Secrets, error) { return Secrets{}, errors.New("the hub at https://10.0.0.1 is away") }, Log: slog.New(slog.DiscardHandler),
		Push: func(context.Context, Push) { t.Error("a push is believed") }, Event: func(context.Context, Event) { t.Error("an event is believed") },
	}
	header := map[string]string{"X-GitHub-Event": "push"}
	w := post(t.Context(), h, unread{t}, header)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || strings.TrimSpace(w.Body.String()) != unknown {
		t.Errorf("an event is answered with %d %v %s", w.Code, w.Header(), w.Body)
	}
	pushes := 0
	h.Push, h.Event = func(context.Context, Push) { pushes++ }, func(context.Context, Event) {}
	h.Secrets = knows(Secrets{})
	if w := post(t.Context(), h, strings.NewReader(githubBody), header); w.Code != http.StatusOK || pushes != 1 {
		t.Errorf("once it is known that there are none, an event is answered with %d, and %d pushes are told", w.Code, pushes)
	}
}

// unread fails the test when somebody reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body of an unknown sender is read")
	return 0, io.EOF
}

// TestUnknownSendersAreNotRead has headers that tell by themselves that nobody
// signed.
func TestUnknownSendersAreNotRead(t *testing.T) {
	h := &Handler{Secrets: knows(secrets), Log: slog.New(slog.DiscardHandler)}
	for what, header := range map[string]map[string]string{
		"GitHub, no signature":           {"X-GitHub-Event": "push"},
		"GitHub, half of one":            {"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=abcd"},
		"Gitea, no signature":            {"X-Gitea-Event": "push"},
		"GitLab, another token":          {"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "no"},
		"Bitbucket, another hook":        {"X-Hook-UUID": "{no}", "X-Event-Key": "repo:push"},
		"Bitbucket Server, no signature": {"X-Event-Key": "repo:refs_changed"},
		"Azure, no password":             {"X-Vss-Activityid": "1"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/webhook", unread{t})
		for k, v := range header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: answered with %d", what, w.Code)
		}
	}
}

// endless sends until it has sent all, then waits until it may end.
type endless struct {
	left int
	sent chan<- struct{}
	end  <-chan struct{}
}

func (e *endless) Read(into []byte) (int, error) {
	if e.left == 0 {
		e.sent <- struct{}{}
		<-e.end
		return 0, io.EOF
	}
	n := min(e.left, len(into))
	e.left -= n
	return n, nil
}

// TestMemoryOfEventsIsBounded has senders of large bodies with signatures that
// will turn out to be wrong. Together they take up no more than a bound, and a
// small event has its place all the same.
func TestMemoryOfEventsIsBounded(t *testing.T) {
	h := &Handler{
		Secrets: knows(secrets), Log: slog.New(slog.DiscardHandler),
		Push: func(context.Context, Push) {}, Event: func(context.Context, Event) {},
	}
	post := func(body io.Reader, signature string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/webhook", body)
		r.Header.Set("X-Github-Event", "push")
		r.Header.Set("X-Hub-Signature-256", "sha256="+signature)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	const many = 8
	sent, end, codes := make(chan struct{}), make(chan struct{}), make(chan int)
	for range many {
		go func() { codes <- post(&endless{20 << 20, sent, end}, sign("no", "")) }()
	}
	full := 0
	for range many {
		select {
		case <-sent:
		case code := <-codes:
			full++
			if code != http.StatusServiceUnavailable {
				t.Errorf("one too many is answered with %d", code)
			}
		}
	}
	if taken := h.signed.holding.Load(); taken > boundsSigned.held || int64(full) < many-boundsSigned.held/(20<<20) {
		t.Errorf("%d of %d were put off, and the others take up %d bytes", full, many, taken)
	}
	if code := post(strings.NewReader(githubBody), sign("gh", githubBody)); code != http.StatusOK {
		t.Errorf("an event of a few bytes is answered with %d meanwhile", code)
	}
	close(end)
	for range many - full {
		if code := <-codes; code != http.StatusUnauthorized {
			t.Errorf("a wrong signature is answered with %d", code)
		}
	}
	if left := h.signed.holding.Load(); left != 0 {
		t.Errorf("%d bytes are not given back", left)
	}
}

// TestUnsignedEventsAreSmaller has a host without a secret.
func TestUnsignedEventsAreSmaller(t *testing.T) {
	h := &Handler{
		Secrets: knows(Secrets{}), Log: slog.New(slog.DiscardHandler),
		Push: func(context.Context, Push) {}, Event: func(context.Context, Event) {},
	}
	for size, want := range map[int]int{4 << 20: http.StatusOK, 4<<20 + 1: http.StatusRequestEntityTooLarge} {
		for _, length := range []int64{int64(size), -1} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/webhook", strings.NewReader(githubBody+strings.Repeat(" ", size-len(githubBody))))
			r.ContentLength = length
			r.Header.Set("X-Github-Event", "push")
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%d bytes of which %d were announced are answered with %d, want %d", size, length, w.Code, want)
			}
		}
	}
}

func TestRead(t *testing.T) {
	got := Read(map[string][]byte{"webhook.github.secret": []byte("gh"), "webhook.bitbucket.uuid": []byte("u")})
	if d := cmp.Diff(Secrets{GitHub: []byte("gh"), Bitbucket: []byte("u")}, got); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	for i, s := range []string{githubBody, githubBody, gitlabBody, bitbucketBody, serverBody, azureBody} {
		f.Add(i, s)
	}
	for _, c := range eventCases {
		f.Add(c.host, c.body)
	}
	events := []string{"push", "push", "Push Hook", "repo:push", "repo:refs_changed", ""}
	pulls := []string{"pull_request", "pull_request", "Merge Request Hook", "pullrequest:updated", "pr:modified", ""}
	f.Fuzz(func(t *testing.T, i int, body string) {
		i = max(0, i) % len(hosts)
		if e, err := hosts[i].about(http.Header{}, pulls[i], []byte(body)); err == nil && e.Path == "" && e.ID == "" {
			t.Error("an event of no repository")
		}
		push, err := hosts[i].parse(events[i], []byte(body))
		if err != nil {
			return
		}
		if n := len(push.RepoURLs); n == 0 || n > maxAddresses || len(push.Moved) > maxMoved {
			t.Errorf("a push to %d addresses, of %d references", n, len(push.Moved))
		}
	})
}
