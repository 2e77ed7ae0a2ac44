package syncs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// ask asks a handler with the right token.
func ask(t *testing.T, h http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, Prefix+path, nil)
	r.Header.Set(Header, "t")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A list has a bound, also where another one is asked for, or none that can be read.
func TestListsAreBounded(t *testing.T) {
	h := Handler(fake{}, nil, "t")
	for limit, want := range map[string]int64{"": 20, "?limit=7": 7, "?limit=0": 20, "?limit=-5": 20, "?limit=many": 20, "?limit=501": mostEntries, "?limit=99999999999999999999": 20} {
		var list []history.Sync
		w := ask(t, h, http.MethodGet, "apps/a%2Fb/web"+limit)
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list) != 1 || list[0].Retries != want || list[0].App.Namespace != "a/b" {
			t.Errorf("%q: %s, %v", limit, w.Body, err)
		}
	}
	if w := ask(t, h, http.MethodPost, "apps/argocd/web"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("what is no question is answered with %d", w.Code)
	}
}

// What a store says decides what is answered: only what does not answer now is asked again.
func TestWhatAStoreSays(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		err    error
		code   int
		later  bool
	}{
		"Not there": {"it is not in the history", gitops.Problemf(gitops.NotFound, "gone"), http.StatusNotFound, false},
		"Invalid":   {"an id is none", gitops.Problemf(gitops.Invalid, "no id"), http.StatusBadRequest, false},
		"Away":      {"the database does not answer: it may later", fmt.Errorf("list: %w", gitops.Problemf(gitops.Unreachable, "away")), http.StatusServiceUnavailable, true},
		"Refused":   {"the database refuses the engine, which no sign-in changes", gitops.Problemf(gitops.Refused, "no"), http.StatusInternalServerError, false},
		"Unknown":   {"nobody foresaw it", errors.New("broken"), http.StatusInternalServerError, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := Handler(fake{}, func(context.Context, string, string) (any, error) { return nil, tc.err }, "t")
			w := ask(t, h, http.MethodGet, "diff/a/b")
			if w.Code != tc.code || (w.Header().Get("Retry-After") != "") != tc.later || strings.TrimSpace(w.Body.String()) != tc.err.Error() {
				t.Errorf("%s: %d %v %s", tc.reason, w.Code, w.Header(), w.Body)
			}
		})
	}
}

// lame has a sync, and cannot tell what came after it.
type lame struct{ fake }

func (lame) Changes(context.Context, string) ([]history.Change, error) {
	return nil, gitops.Problemf(gitops.Unreachable, "away")
}

// Half an answer would be taken for a whole one, and a page of a moment ago for one of now.
func TestAnswersAreWholeAndOfNow(t *testing.T) {
	if w := ask(t, Handler(lame{}, nil, "t"), http.MethodGet, "syncs/a"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a sync of which the rest cannot be read: %d %s", w.Code, w.Body)
	}
	h := Handler(fake{}, func(context.Context, string, string) (any, error) { return math.NaN(), nil }, "t")
	if w := ask(t, h, http.MethodGet, "diff/a/b"); w.Code != http.StatusInternalServerError || strings.TrimSpace(w.Body.String()) != "cannot encode the answer" {
		t.Errorf("what has no form in JSON: %d %s", w.Code, w.Body)
	}
	if w := ask(t, h, http.MethodGet, "syncs/a"); w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", w.Header())
	}
}
