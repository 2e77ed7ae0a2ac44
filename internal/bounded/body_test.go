package bounded

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBody(t *testing.T) {
	over := errors.New("it goes on")
	for name, tc := range map[string]struct {
		reason string
		most   int64
		want   string
		err    error
	}{
		"Fits":    {"what is as long as permitted is read", 5, "hello", nil},
		"TooLong": {"what is longer is read up to the bound", 4, "hell", over},
		"Nothing": {"a bound below zero reads nothing", -1, "", over},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := io.ReadAll(Body(io.NopCloser(strings.NewReader("hello")), tc.most, over))
			if string(got) != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
}

func TestTransport(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", len(r.URL.Path)<<10))
	}))
	t.Cleanup(s.Close)
	client := http.Client{Transport: Transport{http.DefaultTransport, 2 << 10}}
	for path, want := range map[string]bool{"/a": true, "/ab": false} {
		got, err := client.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(got.Body)
		_ = got.Body.Close()
		if long := (*TooLong)(nil); errors.As(err, &long) == want {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
