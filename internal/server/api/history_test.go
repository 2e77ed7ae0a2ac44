package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/google/go-cmp/cmp"
)

// chapters is a history of five syncs of each Application.
type chapters struct{ past }

func (c chapters) List(ctx context.Context, namespace, name string, most int) ([]history.Sync, error) {
	return c.Older(ctx, namespace, name, history.SyncPlace{ID: "0"}, most)
}

func (chapters) Older(_ context.Context, _, name string, than history.SyncPlace, most int) ([]history.Sync, error) {
	out := []history.Sync{}
	for n := 1; n <= 5 && len(out) < most; n++ {
		if id := strconv.Itoa(n); id > than.ID {
			out = append(out, pastSync(id, name))
		}
	}
	return out, nil
}

// The history is read page by page, up to its end, and where a page ends is
// good for the history of that Application alone.
func TestHistoryInPages(t *testing.T) {
	w := newWorld()
	o := w.options()
	o.Past = chapters{}
	h := as(New(o))
	const path = "/applications/argocd/web-dev/history?limit=2"
	var got [][]string
	first := ""
	for next := ""; ; {
		answer := send(t, h, "reader", "GET", path+"&before="+url.QueryEscape(next), "")
		var page []history.Sync
		if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for i := range page {
			ids = append(ids, page[i].ID)
		}
		got = append(got, ids)
		if next = answer.Header().Get("X-Causeway-Next"); next == "" {
			break
		}
		if first == "" {
			first = next
		}
	}
	if diff := cmp.Diff([][]string{{"1", "2"}, {"3", "4"}, {"5"}}, got); diff != "" {
		t.Errorf("the pages (-want +got):\n%s", diff)
	}
	for reason, other := range map[string]string{
		"another Application's":    "/applications/argocd/web-prod/history?before=" + url.QueryEscape(first),
		"what nobody has sealed":   path + "&before=7",
		"that of a list of others": "/changes?before=" + url.QueryEscape(first),
	} {
		if answer := send(t, h, "reader", "GET", other, ""); answer.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", reason, answer.Code, answer.Body)
		}
	}
}

// widely is a world with an auditor, who sees the Applications that the reader does, and
// may read each of them in whatever project it was.
type widely struct{ *world }

func (w widely) Permit(ctx context.Context, u *auth.User, a reach.Access) error {
	if u != nil && u.Name == "auditor" {
		return nil
	}
	return w.world.Permit(ctx, u, a)
}

// lives are the syncs of several Applications, the latest first.
type lives struct {
	past

	all []history.Sync
}

func (l lives) List(_ context.Context, _, name string, most int) ([]history.Sync, error) {
	return l.from(0, name, most), nil
}

func (l lives) Older(_ context.Context, _, name string, than history.SyncPlace, most int) ([]history.Sync, error) {
	return l.from(1+slices.IndexFunc(l.all, func(s history.Sync) bool { return s.ID == than.ID }), name, most), nil
}

func (l lives) from(at int, name string, most int) []history.Sync {
	var out []history.Sync
	for _, s := range l.all[at:] {
		if s.App.Name == name && len(out) < most {
			out = append(out, s)
		}
	}
	return out
}

func (l lives) Get(_ context.Context, id string) (*history.Sync, error) {
	for i := range l.all {
		if l.all[i].ID == id {
			return &l.all[i], nil
		}
	}
	return nil, gitops.Problemf(gitops.NotFound, "sync %s is not in the history", id)
}

// sides remembers what is compared.
type sides struct{ from, to *string }

func (s sides) Between(_ context.Context, from, to environment.Side) (*Between, error) {
	*s.from, *s.to = from.Sync, to.Sync
	return &Between{Objects: []Difference{}}, nil
}

// madeAgain is a world where web-dev is one that was made again, with syncs of before,
// of the project where it was itself, and of engines that noted no UID.
func madeAgain() (*world, Options, sides) {
	w := newWorld()
	app := w.apps[view.Key{Namespace: "argocd", Name: "web-dev"}]
	app.UID = "now"
	w.index.Put(view.RowOf(app, "dev"))
	var l lives
	add := func(id, uid, project string) {
		s := pastSync(id, "web-dev")
		s.App.UID, s.Project = uid, project
		l.all = append(l.all, s)
	}
	add("there", "now", "platform")
	add("here", "now", "shop")
	add("nowhere", "now", "")
	for n := range 3 * syncsAtOnce {
		add(fmt.Sprintf("before-%d", n), "before", []string{"shop", "platform"}[n%2])
	}
	add("first", "now", "shop")
	add("old", "", "shop")
	add("old-there", "", "platform")
	l.all = append(l.all, pastSync("prod", "web-prod"))
	o, s := w.options(), sides{new(string), new(string)}
	o.Rights, o.Past, o.Betweens = widely{w}, l, s
	return w, o, s
}

// The history is that of the Application that is there, in projects in which who asks
// may read it: not of another one that had its name, wherever it is asked for.
func TestHistoryIsOfOneApplication(t *testing.T) {
	const app = "/applications/argocd/web-dev"
	for who, mine := range map[string][]string{"reader": {"here", "first", "old"}, "auditor": {"there", "here", "first", "old"}} {
		_, o, compared := madeAgain()
		h := as(New(o))
		for limit := 1; limit <= 5; limit++ {
			var got []string
			for next := ""; ; {
				answer := send(t, h, who, "GET", fmt.Sprintf("%s/history?limit=%d&before=%s", app, limit, url.QueryEscape(next)), "")
				var page []history.Sync
				if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil {
					t.Fatal(err)
				}
				for i := range page {
					got = append(got, page[i].ID)
				}
				if next = answer.Header().Get("X-Causeway-Next"); next == "" {
					break
				}
				if len(page) != limit {
					t.Fatalf("%s: a page of %d has %d, and is not the last", who, limit, len(page))
				}
			}
			if diff := cmp.Diff(mine, got); diff != "" {
				t.Errorf("%s, in pages of %d (-want +got):\n%s", who, limit, diff)
			}
		}
		for _, id := range []string{"there", "here", "nowhere", "before-0", "before-1", "first", "old", "old-there", "prod", "none"} {
			want := http.StatusNotFound
			if slices.Contains(mine, id) {
				want = http.StatusOK
			}
			for _, path := range []string{"/history/" + id, "/history/here/compare/" + id, "/history/" + id + "/compare/here"} {
				if got := send(t, h, who, "GET", app+path, ""); got.Code != want {
					t.Errorf("%s: %s: %d %s, want %d", who, path, got.Code, got.Body, want)
				}
			}
		}
		readFrom[Between](t, h, who, "/environments/diff?product=argocd/shop/web&from=dev&to=prod")
		if *compared.from != mine[0] || *compared.to != "prod" {
			t.Errorf("%s: %s is compared with %s", who, *compared.from, *compared.to)
		}
	}
}

// Nobody goes back to what another Application had, nor to what they may not read.
func TestRollbackIsToOnesOwn(t *testing.T) {
	for id, want := range map[string]int{"here": http.StatusAccepted, "there": http.StatusNotFound, "before-0": http.StatusNotFound, "prod": http.StatusNotFound} {
		w, o, _ := madeAgain()
		got := send(t, as(New(o)), "writer", "POST", "/applications/argocd/web-dev/rollback", fmt.Sprintf(`{"sync":%q}`, id))
		if got.Code != want || want != http.StatusAccepted && len(w.asked) > 0 {
			t.Errorf("%s: %d %s, asked %q", id, got.Code, got.Body, w.asked)
		}
	}
}

// An Application that only another one of its name has synced is not compared.
func TestWhatWasNeverSyncedIsNotCompared(t *testing.T) {
	w, o, _ := madeAgain()
	app := w.apps[view.Key{Namespace: "argocd", Name: "web-dev"}]
	app.UID, app.Spec.Project = "again", "shop"
	w.index.Put(view.RowOf(app, "dev"))
	l, _ := o.Past.(lives)
	l.all = slices.DeleteFunc(l.all, func(s history.Sync) bool { return s.App.UID == "" && s.App.Name == "web-dev" })
	o.Past = l
	h := as(New(o))
	if got := send(t, h, "auditor", "GET", "/environments/diff?product=argocd/shop/web&from=dev&to=prod", ""); got.Code != http.StatusNotFound {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got := readFrom[[]history.Sync](t, h, "auditor", "/applications/argocd/web-dev/history"); len(got) != 0 {
		t.Errorf("it has the history of another one: %+v", got)
	}
}
