package webhook

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever sends events that are refused fills no log, and how many there were is said.
func TestRefusedEventsFillNoLog(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, body string
		secrets      Secrets
		code         int
	}{
		"unsigned": {"the signature is missing", "{}", Secrets{GitHub: []byte("s3cret")}, http.StatusUnauthorized},
		"unread":   {"it is no event", "[", Secrets{}, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				h := &Handler{Secrets: func() Secrets { return tc.secrets }, Log: slog.New(slog.NewTextHandler(&log, nil))}
				send := func() {
					r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/webhook", strings.NewReader(tc.body))
					r.Header.Set("X-Github-Event", "push")
					w := httptest.NewRecorder()
					if h.ServeHTTP(w, r); w.Code != tc.code {
						t.Fatalf("%s: %d %s", tc.reason, w.Code, w.Body)
					}
				}
				for range 10 * noiseBurst {
					send()
				}
				if n := strings.Count(log.String(), "\n"); n != noiseBurst {
					t.Errorf("%s: there are %d lines", tc.reason, n)
				}
				time.Sleep(noiseEvery)
				send()
				if !strings.Contains(log.String(), "unsaid=180") {
					t.Errorf("%s: how many there were is not said: %s", tc.reason, log.String())
				}
			})
		})
	}
}
