package provider

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestPatient: what passes is tried again with the same body, and what does not is told at once.
func TestPatient(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		statuses []int
		after    string
		time     time.Duration
		want     int
		calls    int
	}{
		"once":      {"an answer", []int{200}, "", time.Minute, 200, 1},
		"passes":    {"refused for a while", []int{429, 503, 200}, "", time.Minute, 200, 3},
		"refused":   {"refused for good", []int{403, 200}, "", time.Minute, 403, 1},
		"no time":   {"the last answer, and not that the time is over", []int{429, 200}, "", 50 * time.Millisecond, 429, 1},
		"too long":  {"nobody waits that long", []int{429, 200}, "3600", 2 * time.Hour, 429, 1},
		"for ever":  {"not for ever", []int{500, 500, 500, 500, 500, 500, 500, 200}, "", time.Minute, 500, tries},
		"no number": {"what is no number of seconds", []int{429, 200}, "soon", time.Minute, 200, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); string(body) != "said" {
					t.Errorf("%s: the body is %q", tc.reason, body)
				}
				w.Header().Set("Retry-After", tc.after)
				w.WriteHeader(tc.statuses[calls])
				calls++
			}))
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), tc.time)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader("said"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Patient(http.DefaultTransport).RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			if got.StatusCode != tc.want || calls != tc.calls {
				t.Errorf("%s: got %d after %d calls, want %d after %d", tc.reason, got.StatusCode, calls, tc.want, tc.calls)
			}
		})
	}
}
