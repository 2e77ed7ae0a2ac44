package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store"
)

// recorded is a server that writes down what it is asked, and answers with a text.
type recorded struct {
	server *httptest.Server
	asked  []string
	header http.Header
}

func record(t *testing.T, answer string) *recorded {
	t.Helper()
	out := &recorded{}
	out.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		out.asked = append(out.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		out.header = r.Header
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(out.server.Close)
	return out
}

// TestRequests are as the server reads them: a name that has signs of addresses in it stays one name.
func TestRequests(t *testing.T) {
	k := Key{"team", "a/b?c#d é"}
	const app = api.Prefix + "/applications/team/a%2Fb%3Fc%23d%20%C3%A9"
	ref := api.Ref{Kind: "Pod", Name: "a&b", Namespace: "x"}
	cases := map[string]struct {
		reason, answer, want string
		call                 func(context.Context, *Client) error
	}{
		"Applications": {"what is not asked for is not sent", "{}", "GET " + argo + "/applications", func(ctx context.Context, c *Client) error {
			_, err := c.Applications(ctx, "", "")
			return err
		}},
		"Picked": {"what is asked for is", "{}", "GET " + argo + "/applications?appNamespace=team&selector=a%3Db%2Cc", func(ctx context.Context, c *Client) error {
			_, err := c.Applications(ctx, "team", "a=b,c")
			return err
		}},
		"Tree":    {"a name is one part of a path", "{}", "GET " + app + "/tree", func(ctx context.Context, c *Client) error { _, err := c.Tree(ctx, k); return err }},
		"Compare": {"so are those of syncs", "[]", "GET " + app + "/history/1%2F2/compare/3", func(ctx context.Context, c *Client) error { _, err := c.Compare(ctx, k, "1/2", "3"); return err }},
		"Object":  {"an object is named as a whole", "{}", "GET " + app + "/object?kind=Pod&objectName=a%26b&objectNamespace=x", func(ctx context.Context, c *Client) error { _, err := c.Object(ctx, k, ref); return err }},
		"Events":  {"events are those of the Application where none is named", "[]", "GET " + app + "/events", func(ctx context.Context, c *Client) error { _, err := c.Events(ctx, k, api.Ref{}); return err }},
		"Sync": {"a sync is asked for with what it is to do", `{"id":"7"}`, "POST " + app + `/sync {"revision":"v1"}`, func(ctx context.Context, c *Client) error {
			id, err := c.Sync(ctx, k, &api.Sync{Revision: "v1"})
			if id != "7" {
				err = fmt.Errorf("it bears the mark %q", id)
			}
			return err
		}},
		"Refresh":   {"a look has a thoroughness", "", "POST " + app + "/refresh?how=hard", func(ctx context.Context, c *Client) error { return c.Refresh(ctx, k, "hard") }},
		"Terminate": {"nothing is sent with what has nothing to say", "", "POST " + app + "/terminate", func(ctx context.Context, c *Client) error { return c.Terminate(ctx, k) }},
		"Delete":    {"a deletion says what becomes of the objects", "", "DELETE " + app + "?objects=keep", func(ctx context.Context, c *Client) error { return c.Delete(ctx, k, "keep") }},
		"Pause":     {"a roll-out is held", "", "POST " + api.Prefix + "/applicationsets/argocd/fleet/pause", func(ctx context.Context, c *Client) error { return c.PauseSet(ctx, Key{"argocd", "fleet"}) }},
		"Resume":    {"or goes on", "", "POST " + api.Prefix + "/applicationsets/argocd/fleet/resume", func(ctx context.Context, c *Client) error { return c.ResumeSet(ctx, Key{"argocd", "fleet"}) }},
		"Batch":     {"how far many are", "{}", "GET " + api.Prefix + "/operations/a%2Fb?results=failed", func(ctx context.Context, c *Client) error { _, err := c.Batch(ctx, "a/b", "failed"); return err }},
		"Cluster": {"a cluster may be called by its address", "{}", "GET " + api.Prefix + "/bridge/https:%2F%2Fa.example.com/facts", func(ctx context.Context, c *Client) error {
			_, err := c.FactsOf(ctx, "https://a.example.com")
			return err
		}},
		"Keys": {"keys of all are asked for", "[]", "GET " + api.Prefix + "/keys?all=true", func(ctx context.Context, c *Client) error { _, err := c.Keys(ctx, true); return err }},
		"SignIn": {"a password is in no address", `{"token":"t"}`, "POST " + api.Prefix + `/session {"username":"ann","password":"secret"}`, func(ctx context.Context, c *Client) error {
			token, err := c.SignIn(ctx, "ann", "secret")
			if token != "t" {
				err = fmt.Errorf("it is signed in with %q", token)
			}
			return err
		}},
		"Export": {"an export goes on after what is there", "", "GET " + api.Prefix + "/audit/export?after=5&from=2026-01-02T03%3A04%3A05Z&verb=sync", func(ctx context.Context, c *Client) error {
			at := time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600))
			return c.ExportAudit(ctx, &store.AuditQuery{After: 5, Verb: "sync", From: at}, func([]byte) error { return nil })
		}},
		"Logs": {"logs are handed out as they come", "a line", "GET " + app + "/logs?container=web", func(ctx context.Context, c *Client) error {
			lines, err := c.Logs(ctx, k, url.Values{"container": {"web"}})
			if err != nil {
				return err
			}
			text, err := io.ReadAll(lines)
			if string(text) != "a line" {
				err = fmt.Errorf("they are %q", text)
			}
			return errors.Join(err, lines.Close())
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := record(t, tc.answer)
			if err := tc.call(t.Context(), dial(t, s.server)); err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff([]string{tc.want}, s.asked); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHeadersOfRequests: a reason may be in any script, and a line break in it begins no header.
func TestHeadersOfRequests(t *testing.T) {
	s := record(t, "{}")
	c := dial(t, s.server, func(o *Options) { o.Reason = "ночь\nX-Other: 1" })
	if err := c.Terminate(t.Context(), Key{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if said, err := url.PathUnescape(s.header.Get("X-Causeway-Reason")); err != nil || said != "ночь\nX-Other: 1" || s.header.Get("X-Other") != "" {
		t.Errorf("the reason is %q, %v", said, err)
	}
	if s.header.Get("Authorization") != "Bearer secret-token" || s.header.Get("User-Agent") != "test" || s.header.Get("Content-Type") != "" {
		t.Errorf("got %v", s.header)
	}
	nobody := dial(t, s.server, func(o *Options) { o.Token = "" })
	if _, err := nobody.CreateKey(t.Context(), &api.NewKey{}); err != nil {
		t.Fatal(err)
	}
	if s.header["Authorization"] != nil || s.header["X-Causeway-Reason"] != nil || s.header.Get("Content-Type") != "application/json" {
		t.Errorf("of nobody: %v", s.header)
	}
}

// TestCommitsAreReadPageByPage up to as many as are asked for.
func TestCommitsAreReadPageByPage(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		limit  int
		pages  int
		want   []string
	}{
		"Few":  {"one page is enough", 2, 9, []string{"limit=2&q=x"}},
		"More": {"a page has a bound", 60, 9, []string{"limit=50&q=x", "before=1&limit=10&q=x"}},
		"End":  {"it ends with the last page", 200, 2, []string{"limit=50&q=x", "before=1&limit=50&q=x"}},
		"None": {"nobody asks for none", 0, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.RawQuery)
				n := 0
				_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &n)
				next := ""
				if len(asked) < tc.pages {
					next = strconv.Itoa(len(asked))
				}
				_, _ = fmt.Fprintf(w, `{"items":[%s],"next":%q}`, strings.TrimSuffix(strings.Repeat("{},", n), ","), next)
			}))
			defer s.Close()
			got, err := dial(t, s).Changes(t.Context(), CommitQuery{Text: "x", Limit: tc.limit})
			if diff := cmp.Diff(tc.want, asked); err != nil || diff != "" || len(got) > tc.limit || got == nil {
				t.Errorf("%s: %d commits, %v, -want +got:\n%s", tc.reason, len(got), err, diff)
			}
		})
	}
}

// TestAnswersThatAreNone say whose they are.
func TestAnswersThatAreNone(t *testing.T) {
	s := record(t, "<html>sign in</html>")
	if _, err := dial(t, s.server).Session(t.Context()); err == nil || !strings.Contains(err.Error(), s.server.URL+" to "+api.Prefix+"/session: is it a Causeway of this version?") {
		t.Errorf("a page of a proxy: %v", err)
	}
	empty := record(t, `{"items":[]}`)
	if _, err := dial(t, empty.server).Application(t.Context(), Key{"team", "shop"}); !Is(err, http.StatusNotFound) || err.Error() != "application shop in team does not exist" {
		t.Errorf("an Application that is not there: %v", err)
	}
	if Is(errors.New("x"), http.StatusNotFound) || Is(nil, http.StatusNotFound) || !Is(fmt.Errorf("more: %w", &Problem{Status: 404}), 404) {
		t.Error("other errors are answers")
	}
}

// TestRequestsThatAreSentAgain have their body again, a few times, and not after whoever asked has gone.
func TestRequestsThatAreSentAgain(t *testing.T) {
	var bodies []string
	busy := func(wait string, then func()) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			bodies = append(bodies, string(body))
			then()
			w.Header().Set("Retry-After", wait)
			problem(w, http.StatusServiceUnavailable, `{"detail":"busy"}`)
		}))
	}
	s := busy("0", func() {})
	_, err := dial(t, s).Sync(t.Context(), Key{"a", "b"}, &api.Sync{Revision: "v1"})
	s.Close()
	if !Is(err, http.StatusServiceUnavailable) || len(bodies) != tries || bodies[tries-1] != `{"revision":"v1"}` {
		t.Errorf("it was sent as %v: %v", bodies, err)
	}
	bodies = nil
	ctx, cancel := context.WithCancel(t.Context())
	s = busy("3600", cancel)
	_, err = dial(t, s).Session(ctx)
	s.Close() // once it has answered
	if err == nil || len(bodies) != 1 {
		t.Errorf("after ctrl-c it was sent %d times: %v", len(bodies), err)
	}
}

// TestServersThatSendOn are followed on their own host, and in no circles.
func TestServersThatSendOn(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/session"):
			http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
		case r.URL.Path == "/moved":
			_, _ = w.Write([]byte(`{}`))
		default:
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}
	}))
	defer s.Close()
	if _, err := dial(t, s).Session(t.Context()); err != nil {
		t.Errorf("to another path: %v", err)
	}
	if _, err := dial(t, s).Bridge(t.Context()); err == nil || !strings.Contains(err.Error(), "the server sends in circles") {
		t.Errorf("in circles: %v", err)
	}
}

// TestWhatIsPrivate: a session is kept of nobody to whom the way may be read.
func TestWhatIsPrivate(t *testing.T) {
	for server, want := range map[string]bool{
		"https://causeway.example.com": true, "causeway.example.com:8443": true, "http://localhost:7080": true, "http://127.0.0.1": true, "http://[::1]:80": true,
		"http://causeway.example.com": false, "http://localhost.example.com": false, "http://10.0.0.1": false,
	} {
		c, err := New(Options{Server: server})
		if err != nil {
			t.Fatal(err)
		}
		if c.Private() != want {
			t.Errorf("%s is private: %t", server, c.Private())
		}
		if _, err := New(Options{Server: server, Token: "t"}); (err == nil) != want {
			t.Errorf("%s is sent a token: %v", server, err)
		}
	}
}
