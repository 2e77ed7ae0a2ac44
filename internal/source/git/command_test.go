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

// TestLimitsOfOutput: what a command prints is copied in ways of its own, and bounded all the same.
func TestLimitsOfOutput(t *testing.T) {
	long := strings.Repeat("x", 100)
	cut := &bounded{limit: 10, cut: true}
	if _, err := io.Copy(cut, strings.NewReader(long)); err != nil || cut.Len() != 10 {
		t.Errorf("%d bytes were kept of 100, of which 10 are to be: %v", cut.Len(), err)
	}
	refused := &bounded{limit: 10}
	if _, err := io.Copy(refused, io.MultiReader(strings.NewReader(long))); err == nil || refused.Len() > 10 {
		t.Errorf("%d bytes were kept of 100, and no error told of more than 10", refused.Len())
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
