package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/test/await"
)

const (
	webAndDNS = `{"applications":[{"namespace":"argocd","name":"web-dev"},{"namespace":"argocd","name":"dns"},{"namespace":"argocd","name":"none"}]`
	web       = `{"applications":[{"namespace":"argocd","name":"web-dev"}]}`
)

// begin asks for a batch, and returns where it is followed.
func begin(t *testing.T, h http.Handler, user, path, body string) string {
	t.Helper()
	w := send(t, h, user, "POST", path, body)
	var b batch.Batch
	if err := json.Unmarshal(w.Body.Bytes(), &b); err != nil || w.Code != http.StatusAccepted || w.Header().Get("Location") != Prefix+"/operations/"+b.ID {
		t.Fatalf("%d, at %q: %s", w.Code, w.Header().Get("Location"), w.Body)
	}
	return strings.TrimPrefix(w.Header().Get("Location"), Prefix)
}

// atItsEnd follows a batch.
func atItsEnd(t *testing.T, h http.Handler, user, at, query string) *batch.Batch {
	t.Helper()
	var b *batch.Batch
	await.Until(t, func(context.Context) error {
		b = &batch.Batch{}
		w := send(t, h, user, "GET", at+query, "")
		if err := json.Unmarshal(w.Body.Bytes(), b); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		if b.State == batch.Running {
			return fmt.Errorf("%s has no end", at)
		}
		return nil
	})
	return b
}

// Of several, each is by itself: one that is refused leaves the others, and the
// audit is told of each.
func TestSyncSeveral(t *testing.T) {
	world := newWorld()
	h := world.handler()
	at := begin(t, h, "writer", "/applications/sync", webAndDNS+`,"prune":true}`)
	b := atItsEnd(t, h, "writer", at, "")
	key := func(name string) view.Key { return view.Key{Namespace: "argocd", Name: name} }
	want := []batch.Result{
		{Key: key("web-dev"), Stage: batch.Asked, Mark: "mark"},
		{Key: key("dns"), Stage: batch.Failed, Error: hiddenText("dns")}, {Key: key("none"), Stage: batch.Failed, Error: hiddenText("none")},
	}
	if diff := cmp.Diff(want, b.Results); diff != "" || b.State != batch.Done || b.Verb != "sync" {
		t.Errorf("it is %s (-want +got):\n%s", b.State, diff)
	}
	if diff := cmp.Diff([]string{"sync web-dev by writer"}, world.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	lines := world.book.lines()
	if len(lines) != 2 || lines[0] != "writer allowed sync operations  "+b.ID || lines[1] != "writer denied sync applications platform dns" {
		t.Errorf("the audit has %q", lines)
	}
	if failed := atItsEnd(t, h, "writer", at, "?results=failed"); len(failed.Results) != 2 || failed.Counts.Asked != 1 {
		t.Errorf("those that failed: %+v", failed)
	}
	if none := atItsEnd(t, h, "writer", at, "?results=none"); len(none.Results) != 0 || none.Counts.Total != 3 {
		t.Errorf("the counts alone: %+v", none)
	}
}

func hiddenText(name string) string {
	return "application " + name + " in argocd does not exist, or you may not read it"
}

// Who may read may ask for another look, also for many.
func TestRefreshSeveral(t *testing.T) {
	world := newWorld()
	h := world.handler()
	b := atItsEnd(t, h, "reader", begin(t, h, "reader", "/applications/refresh", webAndDNS+`,"how":"hard"}`), "")
	if diff := cmp.Diff(batch.Counts{Total: 3, Asked: 1, Failed: 2}, b.Counts); diff != "" || !slices.Equal(world.asked, []string{"refresh web-dev by reader"}) {
		t.Errorf("asked %v (-want +got):\n%s", world.asked, diff)
	}
	if b := atItsEnd(t, h, "reader", begin(t, h, "reader", "/applications/sync", web), ""); b.Counts.Failed != 1 || len(world.asked) != 1 {
		t.Errorf("a reader syncs: %+v", b)
	}
}

// An operation is there for who began it.
func TestOperationsAreOnesOwn(t *testing.T) {
	world := newWorld()
	h := world.handler()
	at := begin(t, h, "writer", "/applications/sync", web)
	for user, want := range map[string]struct{ get, end, has int }{
		"": {401, 401, 0}, "reader": {404, 404, 0}, "other": {404, 404, 0}, "writer": {200, 202, 1},
	} {
		if w := send(t, h, user, "GET", at, ""); w.Code != want.get {
			t.Errorf("%q reads it: %d %s", user, w.Code, w.Body)
		}
		if w := send(t, h, user, "DELETE", at, ""); w.Code != want.end {
			t.Errorf("%q ends it: %d %s", user, w.Code, w.Body)
		}
		if w := send(t, h, user, "GET", "/operations", ""); user != "" && strings.Count(w.Body.String(), `"id"`) != want.has {
			t.Errorf("%q has %s", user, w.Body)
		}
	}
	atItsEnd(t, h, "writer", at, "")
	before := len(world.book.lines())
	for range 3 { // anybody may, without end
		if w := send(t, h, "writer", "DELETE", at, ""); w.Code != http.StatusAccepted || !strings.Contains(w.Body.String(), `"total":1`) {
			t.Errorf("the end of what has ended: %d %s", w.Code, w.Body)
		}
	}
	if lines := world.book.lines(); len(lines) != before {
		t.Errorf("the audit tells of what was not done: %q", lines[before:])
	}
}

// An issuer may let people choose the name that is shown of them.
func TestOperationsOfNamesakes(t *testing.T) {
	h := newWorld().handler()
	ask := func(sub, method, path, body string) *httptest.ResponseRecorder {
		t.Helper()
		u := &auth.User{Name: "writer", Via: auth.OIDC, Claims: map[string]any{"sub": sub}}
		return sendAs(t, h, u, method, path, body)
	}
	at := strings.TrimPrefix(ask("1", "POST", "/applications/sync", web).Header().Get("Location"), Prefix)
	for method, want := range map[string]int{"GET": http.StatusNotFound, "DELETE": http.StatusNotFound} {
		if w := ask("2", method, at, ""); w.Code != want {
			t.Errorf("%s of somebody else of that name: %d %s", method, w.Code, w.Body)
		}
	}
	if w := ask("2", "GET", "/operations", ""); strings.Contains(w.Body.String(), `"id"`) {
		t.Errorf("somebody else of that name has %s", w.Body)
	}
	if w := ask("1", "GET", at, ""); w.Code != http.StatusOK {
		t.Errorf("who began it: %d %s", w.Code, w.Body)
	}
}

// Who begins one after the other waits, and is told for how long.
func TestOperationsHaveABound(t *testing.T) {
	h := newWorld().handler()
	refused := 0
	for range 3 * batchBurst {
		if w := send(t, h, "reader", "POST", "/applications/refresh", web); w.Code == http.StatusTooManyRequests {
			refused++ // that it says when to come again, send sees
		}
	}
	if refused == 0 {
		t.Error("operations have no bound")
	}
	if w := send(t, h, "writer", "POST", "/applications/refresh", web); w.Code != http.StatusAccepted {
		t.Errorf("somebody else: %d %s", w.Code, w.Body)
	}
}

// ending is an operator at whose first sync the session of who asked is ended.
type ending struct {
	*world

	ended atomic.Bool
	syncs atomic.Int64
}

func (e *ending) Sync(context.Context, *auth.User, view.Granted, Sync) (string, error) {
	e.ended.Store(true)
	e.syncs.Add(1)
	return "mark", nil
}

// Sessions end everywhere at sign-out, and API keys at once: what one of them
// has begun with many Applications does not go on. Where nobody can be asked, it does.
func TestOperationsEndWithTheSession(t *testing.T) {
	const many = 200
	for name, tc := range map[string]struct {
		reason string
		why    error
		ends   bool
	}{
		"signed out": {"nobody is known by it", nil, true},
		"revoked":    {"the key counts no longer", gitops.Problemf(gitops.Refused, "no"), true},
		"away":       {"nobody can say", gitops.Problemf(gitops.Unreachable, "no"), false},
		"busy":       {"nobody says now", session.ErrBusy, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := &ending{world: newWorld()}
			var keys []string
			for n := range many {
				name := fmt.Sprintf("many-%d", n)
				e.put(name, "shop", "prod", "Synced", "Healthy")
				keys = append(keys, fmt.Sprintf(`{"namespace":"argocd","name":%q}`, name))
			}
			o := e.options()
			o.Operate = e
			o.Identify = func(r *http.Request) (*auth.User, error) {
				if e.ended.Load() {
					return nil, tc.why
				}
				return auth.From(r.Context()), nil
			}
			h := as(New(o))
			b := atItsEnd(t, h, "writer", begin(t, h, "writer", "/applications/sync", `{"applications":[`+strings.Join(keys, ",")+`]}`), "?results=none")
			if n := e.syncs.Load(); tc.ends != (n < many/2) || tc.ends != (b.State == batch.Canceled) {
				t.Errorf("%s: %d of %d were synced after the session had ended, and it is %s", tc.reason, n, many, b.State)
			}
		})
	}
}
