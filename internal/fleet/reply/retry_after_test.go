package reply

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWaitsAreBounded has a server that puts requests off.
func TestWaitsAreBounded(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if said := r.URL.Query().Get("said"); said != "" {
			w.Header().Set("Retry-After", said)
		}
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(s.Close)
	client := clientOf(t, s, "")
	for name, tc := range map[string]struct{ reason, said, want string }{
		"None":     {"nothing is added", "", ""},
		"Short":    {"what API servers ask for is kept", "7", "7"},
		"Most":     {"so is the bound itself", "30", "30"},
		"Long":     {"a day is cut", "86400", "30"},
		"Overflow": {"so is what is too long for nanoseconds", "9223372037", "30"},
		"Negative": {"what is below nothing would become centuries", "-9223372037", "0"},
		"Date":     {"client-go reads no dates", "Fri, 31 Dec 2100 23:59:59 GMT", "Fri, 31 Dec 2100 23:59:59 GMT"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/version", nil)
			if err != nil {
				t.Fatal(err)
			}
			q := r.URL.Query()
			q.Set("said", tc.said)
			r.URL.RawQuery = q.Encode()
			got, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Body.Close()
			if after := got.Header.Get("Retry-After"); after != tc.want {
				t.Errorf("%s: of %q it becomes %q, want %q", tc.reason, tc.said, after, tc.want)
			}
		})
	}
}
