package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/session"
)

// Who writes from another site is signed in: signing in again changes nothing.
func TestAPageOfAnotherSiteIsForbidden(t *testing.T) {
	w := httptest.NewRecorder()
	Refuse(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, Prefix+"/applications", http.NoBody), session.ErrForged)
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "a page of another site") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
