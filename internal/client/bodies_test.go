package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store"
)

// What a server says is told in its words, as far as there are any.
func TestWordsOfProblems(t *testing.T) {
	for name, tc := range map[string]struct{ body, want string }{
		"Detail first":    {`{"detail":"a","message":"b","title":"c"}`, "a"},
		"Then a message":  {`{"message":"b","title":"c"}`, "b"},
		"Then the title":  {`{"title":"c"}`, "c"},
		"No place":        {`{"detail":"a","errors":[{"message":"from and to name two environments"},{"message":"too long","location":"query.q"}]}`, "a; from and to name two environments; too long at query.q"},
		"Nothing":         {"", "the server answers 418 I'm a teapot"},
		"Null":            {"null", "the server answers 418 I'm a teapot"},
		"Another form":    {`{"detail":{"a":"b"}}`, "the server answers 418 I'm a teapot"},
		"More than that":  {`{"detail":"` + strings.Repeat("x", maxError) + `"}`, "the server answers 418 I'm a teapot"},
		"Other languages": {`{"detail":"нельзя"}`, "нельзя"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { problem(w, http.StatusTeapot, tc.body) }))
		err := dial(t, s).Terminate(t.Context(), Key{"a", "b"})
		s.Close()
		if err == nil || err.Error() != tc.want || !Is(err, http.StatusTeapot) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

// Nobody waits longer for a server than they want to, and it is said who did not answer.
func TestWhoDoesNotAnswerIsNamed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/session") {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Length", "100") // and then it goes away
		_, _ = w.Write([]byte(`{"items":[`))
	}))
	defer s.Close()
	why := errors.New("nobody waits for that any more")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 1, why)
	defer cancel()
	if _, err := dial(t, s).Session(ctx); !errors.Is(err, why) {
		t.Errorf("a server that does not answer: %v", err)
	}
	if _, err := dial(t, s).Projects(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "cannot reach the server "+s.URL+": ") {
		t.Errorf("an answer that is cut off: %v", err)
	}
}

// A certificate of another host is none, and one that is not asked for by name says so.
func TestCertificatesOfOtherHosts(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	s.Config.ErrorLog = nil
	at := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	c := dial(t, s, func(o *Options) { o.Server, o.CA = at, certificateOf(s) })
	if _, err := c.Session(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "cannot trust the server "+at+": ") {
		t.Errorf("%v", err)
	}
}

// An export hands out lines as they are stored, long ones as well, and ends where they cannot be
// taken.
func TestExportsAreLines(t *testing.T) {
	lines := []string{`{"sequence":1}`, `{"sequence":2,"reason":"` + strings.Repeat("я", 200<<10) + `"}`, `{"sequence":3}`}
	s := record(t, strings.Join(lines, "\n"))
	var got []string
	err := dial(t, s.server).ExportAudit(t.Context(), &store.AuditQuery{}, func(line []byte) error {
		got = append(got, string(bytes.Clone(line)))
		return nil
	})
	if diff := cmp.Diff(lines, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	full := errors.New("the disk is full")
	if err := dial(t, s.server).ExportAudit(t.Context(), &store.AuditQuery{}, func([]byte) error { return full }); !errors.Is(err, full) {
		t.Errorf("where nothing can be written: %v", err)
	}
	refused := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { problem(w, 403, `{"detail":"ann may not"}`) }))
	defer refused.Close()
	if err := dial(t, refused).ExportAudit(t.Context(), &store.AuditQuery{}, nil); !Is(err, 403) {
		t.Errorf("what is refused: %v", err)
	}
	if _, err := dial(t, refused).Logs(t.Context(), Key{"a", "b"}, nil); !Is(err, 403) {
		t.Errorf("logs that are refused: %v", err)
	}
}

// Many are asked for at once by their whole names, and what is asked of them is the same.
func TestRequestsOfMany(t *testing.T) {
	all := []Key{{"argocd", "web"}, {"team", "web"}}
	for want, call := range map[string]func(context.Context, *Client) error{
		"POST " + api.Prefix + `/applications/sync {"applications":[{"namespace":"argocd","name":"web"},{"namespace":"team","name":"web"}],"revision":"v1"}`: func(ctx context.Context, c *Client) error {
			_, err := c.SyncMany(ctx, all, &api.Sync{Revision: "v1"})
			return err
		},
		"POST " + api.Prefix + `/applications/refresh {"applications":[{"namespace":"argocd","name":"web"},{"namespace":"team","name":"web"}],"how":"hard"}`: func(ctx context.Context, c *Client) error {
			_, err := c.RefreshMany(ctx, all, api.Hard)
			return err
		},
		"DELETE " + api.Prefix + "/operations/a%2F..": func(ctx context.Context, c *Client) error { return c.CancelBatch(ctx, "a/..") },
		"GET " + api.Prefix + "/applications/argocd/web/field?object=Pod%2Fa&path=spec.a%5B0%5D": func(ctx context.Context, c *Client) error {
			_, err := c.Field(ctx, all[0], "Pod/a", "spec.a[0]")
			return err
		},
		"GET " + api.Prefix + "/applications/argocd/web/events?group=apps&kind=Deployment&objectName=web&version=v1": func(ctx context.Context, c *Client) error {
			_, err := c.Events(ctx, all[0], api.Ref{Group: "apps", Version: "v1", Kind: "Deployment", Name: "web"})
			return err
		},
	} {
		s := record(t, "null")
		if err := call(t.Context(), dial(t, s.server)); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if got := fmt.Sprint(s.asked); got != "["+want+"]" {
			t.Errorf("asked is %s, want %s", got, want)
		}
	}
}
