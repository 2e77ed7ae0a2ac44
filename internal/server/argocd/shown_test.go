package argocd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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
	for range 50 {
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
	key := view.Key{Namespace: "argocd", Name: "web"}
	follow := func(ctx context.Context, query string) {
		if text, err := s.followed(ctx, key, only(query)); err != nil || len(text) == 0 {
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

// Who works it out for others may go: they are shown it all the same.
func TestWhoWorksItOutMayGo(t *testing.T) {
	w := newWorld()
	h := &held{Applications: w, open: make(chan struct{})}
	s := &server{Options: Options{Options: api.Options{Applications: h}, Versions: of("1")}, shown: newShown()}
	close(h.open)
	gone, cancel := context.WithCancel(named(t, "gone"))
	end, err := s.shown.turn(gone) // what they want waits for themselves
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan error)
	key := view.Key{Namespace: "argocd", Name: "web"}
	go func() {
		_, err := s.followed(gone, key, nil)
		first <- err
	}()
	second := make(chan error)
	go func() {
		_, err := s.followed(named(t, "stays"), key, nil)
		second <- err
	}()
	cancel()
	if err := <-first; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
	end()
}
