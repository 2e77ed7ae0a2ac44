package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/google/go-cmp/cmp"
)

// chapters is a history of five syncs of each Application.
type chapters struct{ past }

func (c chapters) List(ctx context.Context, namespace, name string, most int) ([]history.Sync, error) {
	return c.Older(ctx, namespace, name, history.SyncPlace{ID: "0"}, most)
}

func (chapters) Older(_ context.Context, _, _ string, than history.SyncPlace, most int) ([]history.Sync, error) {
	out := []history.Sync{}
	for n := 1; n <= 5 && len(out) < most; n++ {
		if id := strconv.Itoa(n); id > than.ID {
			out = append(out, history.Sync{ID: id})
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
