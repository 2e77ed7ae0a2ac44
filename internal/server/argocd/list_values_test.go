package argocd

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/test/await"
)

// held are Applications that are handed out when the test says so.
type held struct {
	api.Applications

	open     chan struct{}
	now, all atomic.Int64

	mu   sync.Mutex
	most int64
}

func (h *held) enter() {
	h.all.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.most = max(h.most, h.now.Add(1))
}

func (h *held) Application(context.Context, view.Key) (*v1alpha1.Application, error) {
	h.enter()
	defer h.now.Add(-1)
	<-h.open
	return &v1alpha1.Application{}, nil
}

// inside waits until so many are being worked out.
func (h *held) inside(t *testing.T, n int64) {
	t.Helper()
	await.Until(t, func(context.Context) error {
		if now := h.now.Load(); now != n {
			return fmt.Errorf("%d are worked out, want %d", now, n)
		}
		return nil
	})
}

func named(t *testing.T, name string) context.Context {
	t.Helper()
	return auth.With(t.Context(), &auth.User{Name: name, Via: auth.Local})
}

// However many lists one person asks for, one of them is worked out at a time, and
// others are not kept waiting.
func TestListsTakeTurns(t *testing.T) {
	w := newWorld()
	h := &held{Applications: w, open: make(chan struct{})}
	api := w.handlerWith(t, h)
	var lists sync.WaitGroup
	list := func(user string) {
		lists.Go(func() {
			if got := send(t, api, user, "GET", "/v1/applications?fields=items.x", ""); !strings.HasSuffix(strings.TrimSpace(got.Body.String()), "]}") {
				t.Errorf("%s gets %s", user, got.Body)
			}
		})
	}
	for range listsEach {
		list("reader")
	}
	h.inside(t, workEach)
	list("other")
	h.inside(t, workEach+1)
	close(h.open)
	lists.Wait()
	if h.most > workEach+1 {
		t.Errorf("%d were worked out at a time", h.most)
	}
}

// One person has so many lists written at a time. Who asks for more is told to come
// again, and others have theirs.
func TestListsHavePlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		h := &held{Applications: w, open: make(chan struct{})}
		api := w.handlerWith(t, h)
		var lists sync.WaitGroup
		list := func(user string) {
			lists.Go(func() {
				if got := send(t, api, user, "GET", "/v1/applications", ""); got.Code != http.StatusOK {
					t.Errorf("%s gets %d: %s", user, got.Code, got.Body)
				}
			})
		}
		for range listsEach {
			list("reader")
		}
		synctest.Wait()
		began := time.Now()
		if got := send(t, api, "reader", "GET", "/v1/applications", ""); got.Code != http.StatusTooManyRequests || time.Since(began) != listWait {
			t.Errorf("after %s, one too many gets %d: %s", time.Since(began), got.Code, got.Body)
		}
		list("other")
		synctest.Wait()
		if now := h.now.Load(); now != workEach+1 {
			t.Errorf("of two people, %d are worked out", now)
		}
		close(h.open)
		lists.Wait()
		for range listsEach + 1 { // one after the other
			list("reader")
			lists.Wait()
		}
	})
}

// Strangers are one there, and not the engine.
func TestListsOfStrangers(t *testing.T) {
	s := newShown()
	gone := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx
	}
	for what, c := range map[string]struct {
		take func(context.Context) (func(), error)
		each int
	}{"lists": {s.list, listsEach}, "turns": {s.turn, workEach}} {
		for range c.each {
			if _, err := c.take(gone(auth.Outside(t.Context()))); err != nil {
				t.Fatalf("%s of strangers: %v", what, err)
			}
		}
		if _, err := c.take(gone(auth.Outside(t.Context()))); err == nil {
			t.Errorf("strangers have more %s than a person", what)
		}
		if _, err := c.take(gone(t.Context())); err != nil {
			t.Errorf("the engine waits for %s of strangers: %v", what, err)
		}
	}
}

// A list that ends before its end does not look like a whole one.
func TestListsThatAreCutShort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	l := listing{server: &server{shown: newShown()}, to: w}
	if err := l.write(ctx, 1, []*view.Row{{Name: "web"}}); !errors.Is(err, context.Canceled) || json.Valid(w.Body.Bytes()) {
		t.Errorf("it says %s, %v", w.Body, err)
	}
}

// A list is worked out in parts, between which others have their turn.
func TestListsOfMany(t *testing.T) {
	w := newWorld()
	for n := range 3*chunk + 1 {
		w.put(fmt.Sprintf("many-%03d", n), "shop", "Synced")
	}
	got := decoded[appList](t, send(t, w.handler(t), "reader", "GET", "/v1/applications", ""))
	if len(got.Items) != 3*chunk+3 {
		t.Errorf("the list has %d", len(got.Items))
	}
}

// of is a version of all Applications.
type of string

func (v of) Version(context.Context, view.Key) string { return string(v) }

// A change is worked out once for all who follow it with the same fields.
func TestChangesAreWorkedOutOnce(t *testing.T) {
	w := newWorld()
	h := &held{Applications: w, open: make(chan struct{})}
	s := &server{Options: Options{Options: api.Options{Applications: h}, Versions: of("1")}, shown: newShown()}
	only := func(text string) *fields {
		f, err := (&call{query: query{"fields": {text}}}).fields()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	row := &view.Row{Namespace: "argocd", Name: "web", Project: "default"}
	follow := func(ctx context.Context, query string) {
		if text, err := s.followed(ctx, row, only(query)); err != nil || len(text) == 0 {
			t.Errorf("%s: %s, %v", query, text, err)
		}
	}
	var streams sync.WaitGroup
	for n := range 50 {
		streams.Go(func() { follow(named(t, fmt.Sprint("person-", n)), "metadata.name,spec") })
	}
	h.inside(t, 1)
	close(h.open)
	streams.Wait()
	follow(named(t, "later"), "spec,metadata.name")
	if n := h.all.Load(); n != 1 {
		t.Errorf("it is worked out %d times", n)
	}
	follow(named(t, "other"), "-spec,metadata.name")
	follow(named(t, "other"), "spec")
	s.Versions = of("2")
	follow(named(t, "later"), "spec,metadata.name")
	if n := h.all.Load(); n != 4 {
		t.Errorf("with other fields, and of another version, it is worked out %d times in all", n)
	}
}

// Who waits for their own turn keeps nobody else waiting, and may go.
func TestFollowersWaitForThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{Options: Options{Options: api.Options{Applications: newWorld()}, Versions: of("1")}, shown: newShown()}
		row := &view.Row{Namespace: "argocd", Name: "web", Project: "shop"}
		busy, cancel := context.WithCancel(named(t, "busy"))
		end, err := s.shown.turn(busy)
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		first := make(chan error)
		go func() {
			_, err := s.followed(busy, row, nil)
			first <- err
		}()
		synctest.Wait()
		if text, err := s.followed(named(t, "other"), row, nil); err != nil || len(text) == 0 {
			t.Errorf("the other one is shown %s, %v", text, err)
		}
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("who goes waits on: %v", err)
		}
	})
}

// An Application that has left the project by which somebody may see it is not
// shown to them: not in a list, not as a change, and not as others were shown it.
func TestApplicationsThatHaveMoved(t *testing.T) {
	w := newWorld()
	key := view.Key{Namespace: "argocd", Name: "web"}
	before := w.index.Get(key)
	after := *before
	after.Project = "platform"
	s := &server{Options: Options{Options: api.Options{Applications: w}, Versions: of("1")}, shown: newShown()}
	shown := func(reason string, r *view.Row, want bool) {
		t.Helper()
		if text, err := s.followed(named(t, "reader"), r, nil); err != nil || (text != nil) != want {
			t.Errorf("%s, it is shown as %s, %v", reason, text, err)
		}
	}
	w.apps[key].Spec.Project = "platform"
	if got := decoded[appList](t, send(t, w.handler(t), "reader", "GET", "/v1/applications", "")); len(got.Items) != 1 {
		t.Errorf("a list of who saw it before has %d", len(got.Items))
	}
	shown("to who saw it before", before, false)
	shown("to who sees it now", &after, true)
	shown("to who saw it before others did", before, false)
	w.apps[key].Spec.Project = "shop"
	shown("to who sees it again", before, true)
}

// Nor are its logs shown, and nothing is done to it, by a right in that project.
func TestRightsAreOfTheProjectThatIsRead(t *testing.T) {
	const app = "/v1/applications/web"
	for name, c := range map[string]struct{ method, path, body string }{
		"logs":             {"GET", app + "/logs?podName=web-0&namespace=shop", ""},
		"action":           {"POST", app + "/resource/actions?kind=Service&resourceName=web&namespace=shop&version=v1", `"restart"`},
		"action with more": {"POST", app + "/resource/actions/v2", `{"kind":"Service","resourceName":"web","namespace":"shop","version":"v1","action":"restart"}`},
	} {
		w := newWorld()
		if got := send(t, w.handler(t), "writer", c.method, c.path, c.body); got.Code != http.StatusOK {
			t.Errorf("%s: %d %s before it has moved", name, got.Code, got.Body)
		}
		w.apps[view.Key{Namespace: "argocd", Name: "web"}].Spec.Project = "platform"
		if got := send(t, w.handler(t), "writer", c.method, c.path, c.body); got.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s after it has moved", name, got.Code, got.Body)
		}
	}
}

// A selection has so many names at most, also in one path, and its own is short.
func TestFieldsAreBounded(t *testing.T) {
	of := func(text string) (*fields, error) { return (&call{query: query{"fields": {text}}}).fields() }
	for _, text := range []string{strings.Repeat("a.", maxNames) + "a", strings.Repeat("a.b.c.d.e.f,", maxFields-1) + "a"} {
		if _, err := of(text); err == nil {
			t.Errorf("a selection of %d bytes is taken", len(text))
		}
	}
	for _, text := range []string{strings.Repeat("a.", maxNames-1) + "a", strings.Repeat("a.b.c.d,", maxFields-1) + "a"} {
		if f, err := of(text); err != nil || len(f.named()) != sha256.Size {
			t.Errorf("of a selection of %d bytes: %v", len(text), err)
		}
	}
}
