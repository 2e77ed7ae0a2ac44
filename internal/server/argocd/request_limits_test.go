package argocd

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/intake"
)

// untouched fails where a body is read.
type untouched struct{ t *testing.T }

// Read implements io.Reader.
func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, errors.New("it is not to be read")
}

// open are the routes for everybody.
var open = []string{"/version", "/v1/session", "/v1/session/userinfo", "/v1/settings"}

// Nobody is told to sign in at each route that is not for all, and nothing of
// what they send is read.
func TestStrangersAreRefusedUnread(t *testing.T) {
	h := newWorld().handler(t)
	for _, r := range routes() {
		if r.open != slices.Contains(open, r.path) {
			t.Errorf("%s %s is for all: %v", r.method, r.path, r.open)
		}
		if r.open {
			continue
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), r.method, Prefix+strings.NewReplacer("{", "", "}", "", "...", "").Replace(r.path), untouched{t}))
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%s %s: %d %s", r.method, r.path, w.Code, w.Body)
		}
	}
}

// What would become too much is refused, and errors repeat no body.
func TestBodiesAreBounded(t *testing.T) {
	h := newWorld().handler(t)
	for what, tc := range map[string]struct{ user, path, body, want string }{
		"values":  {"writer", "/v1/applications/web/sync", `{"resources":[` + strings.Repeat("{},", 300_000) + `{}]}`, "too many values"},
		"a value": {"writer", "/v1/applications/web/sync", `{"prune":` + strings.Repeat("1", 900_000) + `}`, "is not the JSON"},
		"sign-in": {"", "/v1/session", `{"username":"` + strings.Repeat("a", intake.Stranger) + `"}`, "bytes"},
	} {
		w := send(t, h, tc.user, "POST", tc.path, tc.body)
		if w.Code != http.StatusBadRequest || w.Body.Len() > 4*maxText || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("%s: %d, %d bytes: %.300s", what, w.Code, w.Body.Len(), w.Body)
		}
	}
}
