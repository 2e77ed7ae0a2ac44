package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// post sends an event to a handler.
func post(ctx context.Context, h *Handler, body io.Reader, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/webhook", body)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// many is a list of one element many times, as long as an unsigned event may be.
func many(element string) string {
	return "[" + element + strings.Repeat(","+element, (4<<20-1024)/(len(element)+1)) + "]"
}

// numbered is a list of so many elements that differ.
func numbered(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return "[" + strings.Join(all, ",") + "]"
}

const (
	cloudBody  = `{"repository":{"full_name":"a/b","links":{"html":{"href":"https://bitbucket.org/a/b"}}},"push":{"changes":%s}}`
	ownBody    = `{"repository":{"slug":"r","project":{"key":"P"},"links":{"clone":%s}},"changes":%s}`
	ownOne     = `[{"href":"https://bb.example.org/scm/p/r.git"}]`
	updates    = `{"eventType":"git.push","resource":{"repository":{"name":"r","remoteUrl":"https://dev.azure.com/o/p/_git/r","project":{"name":"p"}},"refUpdates":%s}}`
	githubMany = `{"ref":"refs/heads/main","commits":%s,"repository":{"full_name":"a/b","html_url":"https://github.com/a/b"}}`
	gitlabMany = `{"ref":"refs/heads/main","object_kind":"push","total_commits_count":1,"commits":%s,"project":{"id":1,"web_url":"https://gitlab.com/a/b"}}`
)

// TestLongListsAreOneLook has events that list as much as may be sent. Each is
// one push, and one event: what it costs does not grow with its lists.
func TestLongListsAreOneLook(t *testing.T) {
	cloud, own, azure := map[string]string{"X-Hook-UUID": "x", "X-Event-Key": "repo:push"}, map[string]string{"X-Event-Key": "repo:refs_changed"}, map[string]string{"X-Vss-Activityid": "1"}
	github, gitlab := map[string]string{"X-GitHub-Event": "push"}, map[string]string{"X-Gitlab-Event": "Push Hook"}
	cases := map[string]struct {
		reason string
		header map[string]string
		body   string
		moved  int
	}{
		"Bitbucket":          {"empty changes", cloud, fmt.Sprintf(cloudBody, many("{}")), 0},
		"Bitbucket, others":  {"more branches than are told apart", cloud, fmt.Sprintf(cloudBody, numbered(maxMoved+1, `{"new":{"type":"branch","name":"b%d"}}`)), 0},
		"Bitbucket, as many": {"as many branches as are told apart", cloud, fmt.Sprintf(cloudBody, numbered(maxMoved, `{"new":{"type":"branch","name":"b%d"}}`)), maxMoved},
		"Bitbucket, same":    {"one branch again and again", cloud, fmt.Sprintf(cloudBody, numbered(9000, `{"new":{"type":"branch","name":"b"},"at":%d}`)), 1},
		"Bitbucket Server":   {"empty changes", own, fmt.Sprintf(ownBody, ownOne, many("{}")), 0},
		"own address":        {"its address again and again", own, fmt.Sprintf(ownBody, numbered(9000, `{"href":"https://bb.example.org/scm/p/r.git","name":"%d"}`), `[{"ref":{"id":"refs/heads/main"}}]`), 1},
		"Azure":              {"empty updates", azure, fmt.Sprintf(updates, many("{}")), 0},
		"GitHub":             {"empty commits", github, fmt.Sprintf(githubMany, many("{}")), 1},
		"GitHub, paths":      {"a commit of many paths", github, fmt.Sprintf(githubMany, `[{"added":`+many(`""`)+`}]`), 1},
		"GitLab":             {"empty commits", gitlab, fmt.Sprintf(gitlabMany, many("{}")), 1},
		"twice":              {"a list that is there twice", cloud, `{"push":{"changes":` + strings.Repeat(`[],"changes":`, 1000) + `[]},"repository":{"full_name":"a/b"}}`, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var pushes []Push
			events := 0
			h := &Handler{
				Secrets: knows(Secrets{}), Log: slog.New(slog.DiscardHandler),
				Push: func(_ context.Context, p Push) { pushes = append(pushes, p) }, Event: func(context.Context, Event) { events++ },
			}
			w := post(t.Context(), h, strings.NewReader(c.body), c.header)
			if w.Code != http.StatusOK || len(pushes) != 1 || events != 1 {
				t.Fatalf("%s: status %d, %d pushes, %d events; want one of each", c.reason, w.Code, len(pushes), events)
			}
			if p := pushes[0]; len(p.Moved) != c.moved || len(p.RepoURLs) > 2 || p.Changed != nil {
				t.Errorf("%s: %d references by %d addresses and %d paths; want %d references", c.reason, len(p.Moved), len(p.RepoURLs), len(p.Changed), c.moved)
			}
		})
	}
}

// TestManyAddressesAreRefused has events that name a repository in ways that no
// host does.
func TestManyAddressesAreRefused(t *testing.T) {
	long := strings.Repeat("a", maxText)
	own, github := map[string]string{"X-Event-Key": "repo:refs_changed"}, map[string]string{"X-GitHub-Event": "push"}
	cases := map[string]struct {
		reason string
		header map[string]string
		body   string
		want   string
	}{
		"many":    {"more addresses than a host has", own, fmt.Sprintf(ownBody, numbered(200_000, `{"href":"%d"}`), "[]"), errAddresses.Error()},
		"long":    {"an address without end", github, `{"repository":{"html_url":"https://h/` + long + `"}}`, errLong.Error()},
		"name":    {"a name without end", github, `{"repository":{"full_name":"a/` + long + `","html_url":"https://h/a"}}`, errLong.Error()},
		"no list": {"a word where a list belongs", github, fmt.Sprintf(githubMany, `"all"`), "cannot read the event"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := &Handler{
				Secrets: knows(Secrets{}), Log: slog.New(slog.DiscardHandler),
				Push: func(context.Context, Push) { t.Error("it is a push") }, Event: func(context.Context, Event) { t.Error("it is an event") },
			}
			if w := post(t.Context(), h, strings.NewReader(c.body), c.header); w.Code != http.StatusBadRequest || strings.TrimSpace(w.Body.String()) != c.want {
				t.Errorf("%s: status %d %q, want %q", c.reason, w.Code, w.Body, c.want)
			}
		})
	}
}

// TestWhoHasGoneIsNotServed has a sender that does not wait for the answer.
func TestWhoHasGoneIsNotServed(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	h := &Handler{
		Secrets: knows(secrets), Log: slog.New(slog.DiscardHandler),
		Push: func(context.Context, Push) { t.Error("its push is looked at") }, Event: func(context.Context, Event) { t.Error("its event is looked at") },
	}
	post(gone, h, strings.NewReader(githubBody), map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("gh", githubBody)})
}

// TestUnsignedKeepNoSignedOut has one host with a secret, and as many slow and
// large events as are received of another host that has none.
func TestUnsignedKeepNoSignedOut(t *testing.T) {
	h := &Handler{
		Secrets: knows(Secrets{GitHub: secrets.GitHub}), Log: slog.New(slog.DiscardHandler),
		Push: func(context.Context, Push) {}, Event: func(context.Context, Event) {},
	}
	gitlab := map[string]string{"X-Gitlab-Event": "Push Hook"}
	sent, end, codes := make(chan struct{}), make(chan struct{}), make(chan int)
	for range boundsUnsigned.atOnce {
		go func() { codes <- post(t.Context(), h, &endless{100 << 10, sent, end}, gitlab).Code }()
	}
	for range boundsUnsigned.atOnce {
		<-sent
	}
	if w := post(t.Context(), h, strings.NewReader(gitlabBody), gitlab); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more without a signature is answered with %d %v", w.Code, w.Header())
	}
	body := githubBody + strings.Repeat(" ", 20<<20) // takes up memory, too
	if w := post(t.Context(), h, strings.NewReader(body), map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("gh", body)}); w.Code != http.StatusOK {
		t.Errorf("a signed one is answered with %d", w.Code)
	}
	close(end)
	for range boundsUnsigned.atOnce {
		<-codes
	}
	if h.unsigned.receiving.Load() != 0 || h.unsigned.holding.Load() != 0 {
		t.Error("places are not given back")
	}
}

func TestList(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		items        int
		cut, fails   bool
	}{
		"none":  {"no list", "null", 0, false, false},
		"empty": {"an empty one", "[]", 0, false, false},
		"all":   {"as long as may be", "[1" + strings.Repeat(",1", listed-1) + "]", listed, false, false},
		"cut":   {"and longer", "[1" + strings.Repeat(",1", listed) + "]", listed, true, false},
		"word":  {"no list", `"a"`, 0, false, true},
		"other": {"elements of another kind", `["a"]`, 0, false, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got struct{ List list[int] }
			err := json.Unmarshal([]byte(`{"list":`+c.text+`}`), &got)
			if (err != nil) != c.fails || !c.fails && (len(got.List.items) != c.items || got.List.cut != c.cut) {
				t.Errorf("%s: %d, %t, %v", c.reason, len(got.List.items), got.List.cut, err)
			}
		})
	}
}
