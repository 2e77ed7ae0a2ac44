package credential

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// TestClouds has clouds that answer without end, and lead elsewhere.
func TestClouds(t *testing.T) {
	var elsewhere atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/leads":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/elsewhere":
			elsewhere.Add(1)
		default:
			_, _ = w.Write(bytes.Repeat([]byte(" "), cloudAnswer+1))
		}
	}))
	t.Cleanup(s.Close)
	for name, do := range map[string]func(*http.Request) (*http.Response, error){"AnyCloud": cloudClient().Do, "AWS": briefly(nil).Do} {
		post := func(path string) (status int, read error) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader([]byte("s3cret")))
			if err != nil {
				t.Fatal(err)
			}
			got, err := do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = got.Body.Close() }()
			_, err = io.Copy(io.Discard, got.Body)
			return got.StatusCode, err
		}
		_, err := post("/")
		if long := (*bounded.TooLong)(nil); !errors.As(err, &long) {
			t.Errorf("%s: an answer without end is read: %v", name, err)
		}
		if name == "AWS" {
			continue // it has rules of its own
		}
		if got, _ := post("/leads"); got != http.StatusTemporaryRedirect || elsewhere.Load() != 0 {
			t.Errorf("%s: a redirect was followed: %d", name, got)
		}
	}
}
