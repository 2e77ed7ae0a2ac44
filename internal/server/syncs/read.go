// Package syncs answers questions about what syncs did: a small read API
// for the command line. It shows no manifests, and nothing without the token.
package syncs

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Header carries the token: the API server's proxy takes Authorization away.
const Header = "X-Causeway-Token"

// Prefix of all paths.
const Prefix = "/api/v1/history/"

// Reader reads the store; a store.Store is one.
type Reader interface {
	List(ctx context.Context, namespace, name string, most int) ([]history.Sync, error)
	Get(ctx context.Context, id string) (*history.Sync, error)
	Changes(ctx context.Context, id string) ([]history.Change, error)
}

// Compare tells what differs between the manifests of two syncs, with secrets
// masked, as JSON.
type Compare func(ctx context.Context, a, b string) (any, error)

// Trace is a sync with what came after it.
type Trace struct {
	Sync    *history.Sync    `json:"sync"`
	Changes []history.Change `json:"changes,omitempty"`
}

// mostEntries bounds a list.
const mostEntries = 500

// Handler serves the API to those who know the token.
func Handler(r Reader, compare Compare, token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+"apps/{namespace}/{name}", func(w http.ResponseWriter, q *http.Request) {
		most, err := strconv.Atoi(q.URL.Query().Get("limit"))
		if err != nil || most <= 0 {
			most = 20
		}
		list, err := r.List(q.Context(), q.PathValue("namespace"), q.PathValue("name"), min(most, mostEntries))
		answer(w, list, err)
	})
	mux.HandleFunc("GET "+Prefix+"syncs/{id}", func(w http.ResponseWriter, q *http.Request) {
		t, err := Read(q.Context(), r, q.PathValue("id"))
		answer(w, t, err)
	})
	mux.HandleFunc("GET "+Prefix+"diff/{a}/{b}", func(w http.ResponseWriter, q *http.Request) {
		d, err := compare(q.Context(), q.PathValue("a"), q.PathValue("b"))
		answer(w, d, err)
	})
	return guarded(mux, token)
}

// Read reads a sync with what came after it.
func Read(ctx context.Context, r Reader, id string) (*Trace, error) {
	s, err := r.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	changes, err := r.Changes(ctx, id)
	return &Trace{Sync: s, Changes: changes}, err
}

func guarded(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if token == "" || subtle.ConstantTimeCompare([]byte(q.Header.Get(Header)), []byte(token)) != 1 {
			http.Error(w, "the token of the history is missing or wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, q)
	})
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		code := codeOf(err)
		if code == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "5")
		}
		http.Error(w, err.Error(), code)
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "cannot encode the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text)
}

func codeOf(err error) int {
	var p *gitops.Problem
	if errors.As(err, &p) {
		switch p.Kind {
		case gitops.NotFound:
			return http.StatusNotFound
		case gitops.Unreachable:
			return http.StatusServiceUnavailable
		case gitops.Invalid:
			return http.StatusBadRequest
		default:
		}
	}
	return http.StatusInternalServerError
}
