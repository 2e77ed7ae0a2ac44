package wire

import (
	"net/http"
	"strings"
	"testing"
)

// TestTidyHidesTheLongestFirst: a secret that is part of another one leaves nothing of that.
func TestTidyHidesTheLongestFirst(t *testing.T) {
	if got, want := tidy("bad s3cret-t0ken,\n s3cret", []string{"s3cret", "s3cret-t0ken"}), "bad [redacted], [redacted]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Whatever way a request proves who asks, what a server or a library says of it
// repeats none of that.
func TestWhatSignsInIsHidden(t *testing.T) {
	for name, tc := range map[string]struct{ reason, address, header, value, says string }{
		"Bearer":   {"a token", "https://h/", "Authorization", "Bearer t0k3n", "no t0k3n"},
		"Bare":     {"one without a scheme", "https://h/", "Authorization", "t0k3n", "no t0k3n"},
		"Basic":    {"a password, by itself", "https://h/", "Authorization", "Basic bWU6dDBrM24=", "no t0k3n"},
		"Sent":     {"and as it is sent", "https://h/", "Authorization", "Basic bWU6dDBrM24=", "no bWU6dDBrM24="},
		"GitLab":   {"GitLab's own header", "https://h/", "Private-Token", "t0k3n", "no t0k3n"},
		"Job":      {"that of its jobs", "https://h/", "Job-Token", "t0k3n", "no t0k3n"},
		"Query":    {"a token of the address", "https://h/?private_token=t0k3n&page=2", "", "", "no t0k3n"},
		"Escaped":  {"which is written otherwise there", "https://h/?access_token=t0%2Fk3n", "", "", "no t0/k3n"},
		"User":     {"a password of the address", "https://me:t0k3n@h/", "", "", "no t0k3n"},
		"NoSecret": {"an empty one hides nothing", "https://me:@h/?token=", "Authorization", "Basic Og==", "no"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tc.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tc.header != "" {
			req.Header.Set(tc.header, tc.value)
		}
		want, _, more := strings.Cut(tc.says, " ")
		if more {
			want += " [redacted]"
		}
		if got := tidy(tc.says, secrets(req)); got != want {
			t.Errorf("%s: %s: got %q, want %q", name, tc.reason, got, want)
		}
	}
	if secrets(nil) != nil {
		t.Error("no request has secrets")
	}
}
