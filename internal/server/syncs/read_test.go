package syncs

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

type fake struct{}

func (fake) List(_ context.Context, namespace, name string, most int) ([]history.Sync, error) {
	return []history.Sync{{ID: "a", App: history.App{Namespace: namespace, Name: name}, Retries: int64(most)}}, nil
}

func (fake) Get(_ context.Context, id string) (*history.Sync, error) {
	if id != "a" {
		return nil, gitops.Problemf(gitops.NotFound, "sync %s is not in the history", id)
	}
	return &history.Sync{ID: id}, nil
}

func (fake) Changes(context.Context, string) ([]history.Change, error) {
	return []history.Change{{At: time.Unix(1, 0), To: gitops.Healthy}}, nil
}

func TestHandler(t *testing.T) {
	compare := func(_ context.Context, a, b string) (any, error) { return []string{a, b}, nil }
	cases := map[string]struct {
		reason, path, token string
		code                int
		body                string
	}{
		"no token":    {reason: "nothing without the token", path: "syncs/a", code: http.StatusUnauthorized},
		"other token": {reason: "nothing with another token", path: "syncs/a", token: "x", code: http.StatusUnauthorized},
		"trace":       {reason: "a sync with what came after", path: "syncs/a", token: "t", code: http.StatusOK},
		"unknown":     {reason: "an unknown sync is not found", path: "syncs/b", token: "t", code: http.StatusNotFound},
		"list":        {reason: "a list", path: "apps/argocd/web?limit=7", token: "t", code: http.StatusOK},
		"diff":        {reason: "a comparison", path: "diff/a/b", token: "t", code: http.StatusOK, body: `["a","b"]`},
		"manifests":   {reason: "nobody gets manifests", path: "syncs/a/manifests", token: "t", code: http.StatusNotFound},
	}
	h := Handler(fake{}, compare, "t")
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+c.path, nil)
			r.Header.Set(Header, c.token)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.code || c.body != "" && w.Body.String() != c.body {
				t.Errorf("%s: got %d %s", c.reason, w.Code, w.Body)
			}
			if w.Code == http.StatusOK && !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s: the answer is no JSON: %s", c.reason, w.Body)
			}
		})
	}
	w := httptest.NewRecorder()
	Handler(fake{}, compare, "").ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+"syncs/a", nil))
	if w.Code != http.StatusUnauthorized {
		t.Error("an empty token lets everybody in")
	}
}
