package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/test/await"
)

// room has one pod with a shell that says again what it hears.
type room struct {
	ticks chan time.Time

	mu     sync.Mutex
	shells []string
	// ended are those whose sessions have ended, refused why the cluster does not
	// let anybody in.
	ended   []string
	refused *gitops.Problem
}

func (r *room) clock() terminal.Clock {
	return terminal.Clock{Now: time.Now, Ticks: func() (<-chan time.Time, func()) { return r.ticks, func() {} }}
}

func (r *room) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *room) Shells() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shells
}

func (r *room) identify(q *http.Request) (*auth.User, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := q.Header.Get("X-Test-User")
	if slices.Contains(r.ended, name) {
		return nil, nil //nolint:nilnil // nobody is no error
	}
	if u := auth.From(q.Context()); u != nil {
		return u, nil
	}
	return &auth.User{Name: name}, nil
}

func (r *room) Containers(context.Context, *auth.User, *v1alpha1.Application, TerminalAt) ([]string, error, error) {
	if r.refused != nil {
		return []string{"web"}, r.refused, nil
	}
	return []string{"web", "proxy"}, nil, nil
}

func (r *room) Open(_ context.Context, _ *auth.User, _ *v1alpha1.Application, at TerminalAt) (terminal.Shell, error) {
	if r.refused != nil {
		return nil, r.refused
	}
	return &echo{at}, nil
}

type echo struct{ at TerminalAt }

func (*echo) Check(context.Context) error { return nil }

func (e *echo) Run(ctx context.Context, with terminal.Streams) error {
	with.Opened(e.at.Shells[0])
	_, err := io.Copy(with.Out, with.In.Reader(ctx))
	return err
}

// house serves a world, for WebSockets.
func house(t *testing.T, w *world) string {
	t.Helper()
	s := httptest.NewServer(w.handler())
	t.Cleanup(s.Close)
	return s.URL
}

const shellAt = Prefix + "/applications/argocd/web-dev/terminal/open?podNamespace=shop&pod=web-1&container=web"

func knockAt(t *testing.T, base, path string, header http.Header) (conn *websocket.Conn, code int, text string) {
	t.Helper()
	conn, answer, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(base, "http")+path, header)
	if answer == nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if conn == nil {
		said, _ := io.ReadAll(answer.Body) // of an answer that was cut off there is enough
		return nil, answer.StatusCode, string(said)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(await.Limit))
	return conn, answer.StatusCode, ""
}

// Which requests become a terminal, and which do not.
func TestWhoOpensATerminal(t *testing.T) {
	cases := map[string]struct {
		reason string
		header http.Header
		change func(*room)
		query  string
		code   int
		says   string
	}{
		"writer":        {reason: "the policy lets them", header: http.Header{"X-Test-User": {"writer"}}, code: 101},
		"one shell":     {reason: "it is one of those", header: http.Header{"X-Test-User": {"writer"}}, query: "&shell=sh", code: 101},
		"by a cookie":   {reason: "from a page of ours", header: http.Header{"X-Test-User": {"writer"}, "Cookie": {"a=b"}, "Origin": {"OWN"}}, code: 101},
		"by browser":    {reason: "which says so itself", header: http.Header{"X-Test-User": {"writer"}, "Cookie": {"a=b"}, "Origin": {"https://behind.a.proxy"}, "Sec-Fetch-Site": {"same-origin"}}, code: 101},
		"anonymous":     {reason: "nobody is signed in", code: 401},
		"reader":        {reason: "the policy lets them read alone", header: http.Header{"X-Test-User": {"reader"}}, code: 403, says: "may not create exec"},
		"other":         {reason: "it is another project's", header: http.Header{"X-Test-User": {"other"}}, code: 404},
		"another site":  {reason: "cookies come along", header: http.Header{"X-Test-User": {"writer"}, "Cookie": {"a=b"}, "Origin": {"https://evil.example.com"}}, code: 403, says: "another site"},
		"a neighbour":   {reason: "a site below the same name", header: http.Header{"X-Test-User": {"writer"}, "Cookie": {"a=b"}, "Origin": {"OWN"}, "Sec-Fetch-Site": {"same-site"}}, code: 403, says: "another site"},
		"with a token":  {reason: "a page of another site that knows a token", header: http.Header{"X-Test-User": {"writer"}, "Origin": {"https://evil.example.com"}}, code: 403, says: "another site"},
		"no origin":     {reason: "a cookie says nothing of the page", header: http.Header{"X-Test-User": {"writer"}, "Cookie": {"a=b"}}, code: 403, says: "Origin"},
		"off":           {reason: "it is, unless switched on", header: http.Header{"X-Test-User": {"writer"}}, change: func(r *room) { r.shells = nil }, code: 403, says: "exec.enabled"},
		"by Kubernetes": {reason: "the cluster has the last word", header: http.Header{"X-Test-User": {"writer"}}, change: func(r *room) { r.refused = gitops.Problemf(gitops.Forbidden, "no role") }, code: 403, says: "no role"},
		"asleep":        {reason: "nothing runs", header: http.Header{"X-Test-User": {"writer"}}, change: func(r *room) { r.refused = gitops.Problemf(gitops.NotReady, "no node yet") }, code: 409, says: "no node yet"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			if tc.change != nil {
				tc.change(&w.room)
			}
			base := house(t, w)
			if tc.header.Get("Origin") == "OWN" {
				tc.header.Set("Origin", base)
			}
			_, code, text := knockAt(t, base, shellAt+tc.query, tc.header)
			if code != tc.code || !strings.Contains(text, tc.says) {
				t.Errorf("%s: %d %s", tc.reason, code, text)
			}
		})
	}
}

// What is typed comes back, and the audit has the begin and the end: who, where
// and how, and nothing of what was typed.
func TestTerminalIsInTheAudit(t *testing.T) {
	w := newWorld()
	conn, _, _ := knockAt(t, house(t, w), shellAt, http.Header{"X-Test-User": {"writer"}})
	if err := conn.WriteMessage(websocket.BinaryMessage, []byte("hunter2")); err != nil {
		t.Fatal(err)
	}
	var opened bool
	for seen := ""; seen != "hunter2"; {
		kind, data, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if kind == websocket.TextMessage {
			opened = strings.Contains(string(data), `"opened":{"shell":"bash"}`)
			continue
		}
		seen += string(data)
	}
	if !opened {
		t.Error("which shell it is was not told")
	}
	w.room.set(func() { w.room.ended = []string{"writer"} })
	w.room.ticks <- time.Now()
	if text := lastOf(t, conn); !strings.Contains(text, `"reason":"rights"`) || !strings.Contains(text, "your session has ended") {
		t.Errorf("the end is %s", text)
	}
	entries := w.written(t, 2)
	begin, end := entries[0], entries[1]
	where := "container web of pod shop/web-1"
	if begin.Verb != "create" || begin.Resource != "exec" || begin.Who.Name != "writer" || begin.Name != "web-dev" || begin.Project != "shop" ||
		begin.Outcome != audit.Allowed || begin.Message != "a terminal in "+where+" with bash or sh" {
		t.Errorf("it begins with %+v", begin)
	}
	if end.Verb != "end" || end.Of != begin.Sequence || end.Who.Name != "writer" || !strings.HasPrefix(end.Message, "the terminal in "+where+" with bash ended after ") {
		t.Errorf("it ends with %+v", end)
	}
	text, err := json.Marshal(entries)
	if err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("the audit has what was typed: %s %v", text, err)
	}
}

func lastOf(t *testing.T, conn *websocket.Conn) (text string) {
	t.Helper()
	for {
		kind, data, err := conn.ReadMessage()
		if websocket.IsCloseError(err, websocket.CloseNormalClosure) {
			return text
		}
		if err != nil {
			t.Fatal(err)
		}
		if kind == websocket.TextMessage {
			text = string(data)
		}
	}
}

// written waits for so many entries.
func (w *world) written(t *testing.T, n int) []audit.Entry {
	t.Helper()
	var entries []audit.Entry
	await.Until(t, func(context.Context) error {
		if entries = w.book.all(); len(entries) < n {
			return fmt.Errorf("the audit has %+v", entries)
		}
		return nil
	})
	return entries
}

// Whose right ends, or when terminals are switched off, is out.
func TestTerminalEndsWithTheRight(t *testing.T) {
	for name, change := range map[string]func(*room){"switched off": func(r *room) { r.shells = nil }, "the session": func(r *room) { r.ended = []string{"writer"} }} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			conn, _, _ := knockAt(t, house(t, w), shellAt, http.Header{"X-Test-User": {"writer"}})
			w.room.ticks <- time.Now() // all is well
			w.room.set(func() { change(&w.room) })
			w.room.ticks <- time.Now()
			if text := lastOf(t, conn); !strings.Contains(text, `"reason":"rights"`) {
				t.Errorf("the end is %s", text)
			}
		})
	}
}

// roaming may do anything in all projects.
type roaming struct{ everything }

func (roaming) Visible(context.Context, *auth.User) (func(*view.Row) bool, error) {
	return func(*view.Row) bool { return true }, nil
}

// What a project permitted holds no longer than the Application is in it, also for
// who may open terminals in the next one.
func TestTerminalEndsWithTheProject(t *testing.T) {
	w := newWorld()
	o := w.options()
	o.Rights = roaming{everything{w}}
	s := httptest.NewServer(as(New(o)))
	t.Cleanup(s.Close)
	conn, _, _ := knockAt(t, s.URL, shellAt, http.Header{"X-Test-User": {"writer"}})
	w.room.ticks <- time.Now() // all is well
	moved := *w.index.Get(view.Key{Namespace: "argocd", Name: "web-dev"})
	moved.Project = "platform"
	w.index.Put(&moved)
	w.room.ticks <- time.Now()
	if text := lastOf(t, conn); !strings.Contains(text, `"reason":"rights"`) || !strings.Contains(text, "project platform") {
		t.Errorf("the end is %s", text)
	}
}

// Whether there may be a terminal is told with the reason and what to do.
func TestTerminalSaysWhyThereIsNone(t *testing.T) {
	no := gitops.Problemf(gitops.Forbidden, "the cluster does not let you")
	for name, tc := range map[string]struct {
		user   string
		change func(*room)
		want   Terminal
		says   string
	}{
		"there is":   {user: "writer", want: Terminal{On: true, Permitted: true}},
		"off":        {user: "writer", change: func(r *room) { r.shells = nil }, says: "exec.enabled"},
		"policy":     {user: "reader", want: Terminal{On: true}, says: "may not create exec"},
		"Kubernetes": {user: "writer", change: func(r *room) { r.refused = no }, want: Terminal{On: true}, says: "the cluster does not let you"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			if tc.change != nil {
				tc.change(&w.room)
			}
			answer := send(t, w.handler(), tc.user, "GET", "/applications/argocd/web-dev/terminal?podNamespace=n&pod=p", "")
			var got Terminal
			if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if got.On != tc.want.On || got.Permitted != tc.want.Permitted || !strings.Contains(got.Why, tc.says) || (tc.says == "") != (got.Why == "") {
				t.Errorf("%+v", got)
			}
			if fmt.Sprint(got.Running) != "[web proxy]" && tc.want.Permitted {
				t.Errorf("running are %v", got.Running)
			}
		})
	}
}
