package scrape

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// stuck is an answer that nobody reads.
type stuck struct {
	*httptest.ResponseRecorder

	begun, end chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	close(s.begun)
	<-s.end
	return len(p), nil
}

// Who asks for metrics and does not read them holds their text and no more: what
// was gathered is let go of, and the next one has their turn.
func TestUnreadMetricsHoldTheirTextAlone(t *testing.T) {
	var under, most atomic.Int32
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		most.Store(max(most.Load(), under.Add(1)))
		defer under.Add(-1)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "causeway_applications 1\n")
	}))
	ask := func(w http.ResponseWriter) {
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	}
	var unread []*stuck
	over := make(chan struct{})
	for range 5 {
		s := &stuck{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
		unread = append(unread, s)
		go func() { ask(s); over <- struct{}{} }()
	}
	for _, s := range unread {
		<-s.begun
	}
	w := httptest.NewRecorder()
	ask(w)
	if w.Code != http.StatusOK || w.Body.String() != "causeway_applications 1\n" || w.Header().Get("Content-Type") != "text/plain" || w.Header().Get("Content-Length") != "24" {
		t.Errorf("who reads gets %d %q with %v", w.Code, w.Body, w.Header())
	}
	for _, s := range unread {
		close(s.end)
		<-over
	}
	if most.Load() != gatheringEach {
		t.Errorf("%d were gathered at a time for one network", most.Load())
	}
}

// TestWhoHasNoTurnComesAgain: others of the network have not been answered yet.
func TestWhoHasNoTurnComesAgain(t *testing.T) {
	begun, end, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-end
		w.WriteHeader(http.StatusInternalServerError)
	}))
	ask := func(ctx context.Context) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil))
		return w
	}
	go func() {
		defer close(over)
		if w := ask(t.Context()); w.Code != http.StatusInternalServerError {
			t.Errorf("what could not be gathered is answered with %d", w.Code)
		}
	}()
	<-begun
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if w := ask(impatient); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "10" || !strings.Contains(w.Body.String(), "too many ask for metrics") {
		t.Errorf("who has no turn gets %d %q with %v", w.Code, w.Body, w.Header())
	}
	close(end)
	<-over
}
