package git

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestMessagesEndWithALine(t *testing.T) {
	tests := map[string]struct{ reason, text, want string }{
		"Short": {"what fits is kept", "fatal: no", "fatal: no"},
		"Full":  {"what just fits may have been cut", "one\n567890", "one\n"},
		"Long":  {"half a word is dropped with its line", "one\nhunter2", "one\n"},
		"Line":  {"so is a single line", "hunter2 hunter2", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := &bounded{limit: 10, cut: true}
			if _, err := b.Write([]byte(tc.text)); err != nil {
				t.Fatal(err)
			}
			if got := b.whole(); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestMessagesOfStreams: where git writes objects, too, no half line of what it says is told.
func TestMessagesOfStreams(t *testing.T) {
	c := &Command{timeout: time.Minute, blank: t.TempDir()}
	err := c.stream(t.Context(), "", nil, io.Discard, &bounded{limit: 16, cut: true}, "hunter2-hunter2")
	var f *failure
	if !errors.As(err, &f) || strings.Contains(f.text, "hunter2") {
		t.Errorf("a command that git does not know ended with %#v", err)
	}
}
