package clitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// Token is what lets in to a Desk.
const Token = "good-token"

// Desk is a server that answers what its routes say, and notes what it is asked to change.
type Desk struct {
	URL string

	handler http.Handler

	mu    sync.Mutex
	asked []string
}

// Refusal is an answer that something is not so.
type Refusal struct {
	Status int
	Detail string
}

// NewDesk starts a server. A route is written as for http.ServeMux; its answer is a Refusal, a http.HandlerFunc, or what is
// sent as JSON; nil is no content. Commands have the token that it wants.
func NewDesk(t *testing.T, routes map[string]any) *Desk {
	t.Helper()
	t.Setenv(command.VariableToken, Token)
	d := &Desk{}
	mux := http.NewServeMux()
	for route, answer := range routes {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { d.answer(w, r, answer) })
	}
	d.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+Token {
			refuse(w, Refusal{http.StatusUnauthorized, "the token is not valid"})
			return
		}
		mux.ServeHTTP(w, r)
	})
	s := httptest.NewServer(d.handler)
	t.Cleanup(s.Close)
	d.URL = s.URL
	return d
}

func (d *Desk) answer(w http.ResponseWriter, r *http.Request, answer any) {
	if r.Method != http.MethodGet {
		d.note(r)
	}
	w.Header().Set("Content-Type", "application/json")
	switch answer := answer.(type) {
	case nil:
		w.WriteHeader(http.StatusNoContent)
	case Refusal:
		refuse(w, answer)
	case func(http.ResponseWriter, *http.Request):
		answer(w, r)
	default:
		encode(w, answer)
	}
}

func refuse(w http.ResponseWriter, r Refusal) {
	w.WriteHeader(r.Status)
	encode(w, map[string]string{"detail": r.Detail})
}

func encode(w http.ResponseWriter, answer any) {
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (d *Desk) note(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body)) // the route may read it, too
	text := r.Method + " " + r.URL.RequestURI()
	if said := strings.TrimSpace(string(body)); said != "" {
		text += " " + said
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, text)
}

// Asked are the requests to change something, in their order.
func (d *Desk) Asked() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.asked)
}

// Applications is the route that lists some, as servers choose of them.
func Applications(all ...*v1alpha1.Application) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		query, list := r.URL.Query(), v1alpha1.ApplicationList{Items: []v1alpha1.Application{}}
		for _, a := range all {
			named, spaced := query.Get("name"), query.Get("appNamespace")
			if (named == "" || named == a.Name) && (spaced == "" || spaced == a.Namespace) {
				list.Items = append(list.Items, *a)
			}
		}
		encode(w, list)
	}
}

// AppsRoute and SetsRoute are where applications and application sets are listed.
const (
	AppsRoute = "GET /argocd/api/v1/applications"
	SetsRoute = "GET /argocd/api/v1/applicationsets"
)
