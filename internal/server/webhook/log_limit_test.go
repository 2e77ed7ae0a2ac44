package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever sends events that are believed fills no log either, and hides none that is signed.
func TestReceivedEventsFillNoLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		h := &Handler{
			Secrets: knows(Secrets{GitHub: []byte("gh")}), Log: slog.New(slog.NewTextHandler(&log, nil)),
			Push: func(context.Context, Push) {}, Event: func(context.Context, Event) {},
		}
		send := func(body string, header map[string]string, lines int) {
			t.Helper()
			log.Reset()
			if w := post(t.Context(), h, strings.NewReader(body), header); w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if n := strings.Count(log.String(), "\n"); n != lines {
				t.Errorf("there are %d lines, want %d: %s", n, lines, log.String())
			}
		}
		project, anybody := `{"event_name":"project_create","path_with_namespace":"x/y"}`, map[string]string{"X-Gitlab-Event": "System Hook"}
		for range noiseBurst {
			send(project, anybody, 1)
		}
		for range 10 * noiseBurst {
			send(project, anybody, 0)
		}
		signed := map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("gh", githubBody)}
		for range noiseBurst {
			send(githubBody, signed, 1)
		}
		send(githubBody, signed, 0)
		time.Sleep(noiseEvery)
		send(project, anybody, 1)
		if !strings.Contains(log.String(), "unsaid=200") {
			t.Errorf("how many there were is not said: %s", log.String())
		}
	})
}

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
				h := &Handler{Secrets: knows(tc.secrets), Log: slog.New(slog.NewTextHandler(&log, nil))}
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
