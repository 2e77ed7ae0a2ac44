package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/internal/server/stream"
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

// Strangers are answered too, and are not waited for either, whatever they ask
// for; a stream that has begun bounds itself.
func TestEveryAnswerIsReadInTime(t *testing.T) {
	for _, path := range []string{
		"/", "/assets/index.js", "/healthz", "/api/webhook", "/api/none", "/auth/login", "/api/v1/session",
		"/api/v1/events", argocd.Prefix + "/v1/stream/applications",
	} {
		w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
		everything(http.NotFoundHandler(), nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.at.IsZero() {
			t.Errorf("%s is waited for without end", path)
		}
	}
	w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	everything(http.HandlerFunc(func(to http.ResponseWriter, _ *http.Request) {
		stream.To(to)
		if !w.at.IsZero() {
			t.Errorf("a stream has to end at %s", w.at)
		}
	}), nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/events", nil))
	if w.at.IsZero() {
		t.Error("the rest of a stream is waited for without end")
	}
}

// What comes from outside is nothing that the engine asks for itself, whoever sent it.
func TestNobodyIsTakenForTheEngine(t *testing.T) {
	asker := ""
	h := everything(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asker = auth.Asker(r.Context()) }), nil)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/changes", nil))
	if asker != auth.Stranger {
		t.Errorf("a stranger is taken for %q", asker)
	}
}
