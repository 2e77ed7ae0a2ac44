package provider

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestBounded: whatever a server answers, little of it is read, and nothing that takes much memory.
func TestBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		form, body string
		times      int
		want       string
		much       bool
	}{
		"small":   {"what a store answers", "application/json", `{"data":{}}`, 1, "", false},
		"page":    {"a page is for who reads it to refuse", "text/html", "<html>", 1, "", false},
		"large":   {"a megabyte in a text", "application/json", `"` + strings.Repeat("x", 1<<20) + `"`, 1, "", false},
		"endless": {"what does not end", "application/json", strings.Repeat("x", 1<<20), 20, "more than 16 MiB", true},
		"parts":   {"short things that are large when they are read", "application/json", `{"items":[` + strings.Repeat("{},", 100_000), 1, "more than 64 MiB of memory", true},
		"deep":    {"lists in lists", "application/json", strings.Repeat("[", 20_000), 1, "of memory", true},
		"binary":  {"a form whose cost is not known", "Application/vnd.kubernetes.protobuf", "\x12\x00", 1, "not in JSON", false},
		"YAML":    {"another one", "application/yaml", "a: &a [*a]", 1, "not in JSON", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.form)
				w.WriteHeader(http.StatusInternalServerError) // what is an error is kept as well
				for range tc.times {
					if _, err := io.WriteString(w, tc.body); err != nil {
						return
					}
				}
			}))
			defer server.Close()
			response, err := (&http.Client{Transport: Bounded(http.DefaultTransport)}).Get(server.URL)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				_ = response.Body.Close()
			}
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) || TooMuch(err) != tc.much {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestSum(t *testing.T) {
	var s Sum
	if err := errors.Join(s.Add(MostRead-1), s.Add(1)); err != nil {
		t.Error(err)
	}
	if err := s.Add(1); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("a byte more: %v", err)
	}
}
