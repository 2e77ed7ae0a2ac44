package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/server/argocd"
)

// deadlined remembers by when an answer has to be read.
type deadlined struct {
	*httptest.ResponseRecorder

	at time.Time
}

// SetWriteDeadline implements what http.ResponseController looks for.
func (d *deadlined) SetWriteDeadline(at time.Time) error {
	d.at = at
	return nil
}

// Strangers are answered too, and are not waited for either.
func TestEveryAnswerIsReadInTime(t *testing.T) {
	for path, streams := range map[string]bool{
		"/": false, "/assets/index.js": false, "/healthz": false, "/api/webhook": false, "/api/none": false, "/auth/login": false, "/api/v1/session": false,
		"/api/v1/events": true, argocd.Prefix + "/v1/stream/applications": true,
	} {
		w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
		everything(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.at.IsZero() != streams {
			t.Errorf("%s has to be read by %s", path, w.at)
		}
	}
}
