package rest_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/bitbucket/rest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// reading asks a server that answers with a status and a body.
func reading(t *testing.T, status int, body string, sign func(*http.Request) error) (r *rest.Reader, asked *http.Request) {
	t.Helper()
	asked = &http.Request{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		*asked = *q
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	r, err := rest.New(s.URL+"/", wire.Options{Subject: "Bitbucket workspace acme", Fix: "check the token", Sign: sign})
	if err != nil {
		t.Fatal(err)
	}
	return r, asked
}

func TestGet(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		status int
		body   string
		kinds  []gitops.ProblemKind
		empty  bool
	}{
		"Read":      {"an answer is read", http.StatusOK, `{"name":"web"}`, nil, false},
		"Nothing":   {"no content is no empty list", http.StatusNoContent, "", nil, true},
		"Other":     {"another success lacks what is promised", http.StatusAccepted, `{"name":"web"}`, []gitops.ProblemKind{gitops.Unreachable}, false},
		"Cut":       {"one that is cut short is no answer", http.StatusOK, `{"name":"we`, []gitops.ProblemKind{gitops.Unreachable}, false},
		"Forbidden": {"a refusal says so", http.StatusForbidden, `{}`, []gitops.ProblemKind{gitops.Refused}, false},
		"Missing":   {"what is not there is told", http.StatusNotFound, `{}`, []gitops.ProblemKind{gitops.NotFound}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := reading(t, tc.status, tc.body, nil)
			var into struct{ Name string }
			err := r.Get(t.Context(), r.Address(nil, "repositories"), &into)
			switch {
			case tc.empty:
				if !errors.Is(err, rest.ErrNoContent) {
					t.Errorf("%s: %v", tc.reason, err)
				}
			case tc.kinds != nil:
				if !gitops.IsProblem(err, tc.kinds...) || !strings.Contains(err.Error(), "Bitbucket workspace acme") {
					t.Errorf("%s: %v", tc.reason, err)
				}
			case err != nil || into.Name != "web":
				t.Errorf("%s: %q, %v", tc.reason, into.Name, err)
			}
		})
	}
}

func TestExists(t *testing.T) {
	for status, want := range map[int]struct{ there, fails bool }{http.StatusOK: {true, false}, http.StatusNotFound: {false, false}, http.StatusUnauthorized: {false, true}} {
		r, _ := reading(t, status, "{}", nil)
		if there, err := r.Exists(t.Context(), r.Address(nil, "x")); there != want.there || (err != nil) != want.fails {
			t.Errorf("%d is taken for %t, %v", status, there, err)
		}
	}
}

// Names do not leave their place in an address, and credentials their API.
func TestAddresses(t *testing.T) {
	r, asked := reading(t, http.StatusOK, "{}", rest.Bearer("hunter2"))
	if got := r.Address(url.Values{"at": {"a b"}}, "acme", "a/b?c"); !strings.HasSuffix(got, "/acme/a%2Fb%3Fc?at=a+b") {
		t.Errorf("the address is %s", got)
	}
	if err := r.Get(t.Context(), r.Address(nil, "x"), &struct{}{}); err != nil || asked.Header.Get("Authorization") != "Bearer hunter2" {
		t.Errorf("it is asked with %q, %v", asked.Header.Get("Authorization"), err)
	}
	if err := r.Get(t.Context(), "ftp://127.0.0.1/next", &struct{}{}); !gitops.IsProblem(err, gitops.Refused) {
		t.Errorf("a following page of another kind: %v", err)
	}
	basic, asked := reading(t, http.StatusOK, "{}", rest.Basic("me", "hunter2"))
	if err := basic.Get(t.Context(), basic.Address(nil), &struct{}{}); err != nil {
		t.Fatal(err)
	}
	if user, password, ok := asked.BasicAuth(); !ok || user != "me" || password != "hunter2" {
		t.Errorf("it is asked as %q", user)
	}
	if _, err := rest.New("no address", wire.Options{}); err == nil {
		t.Error("what is no address is asked")
	}
}
