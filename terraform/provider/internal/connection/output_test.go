package connection

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

// TestAnswersAreBoundedWhileTheyAreRead has a program that prints without end.
func TestAnswersAreBoundedWhileTheyAreRead(t *testing.T) {
	out, told := &Answer{Most: 1 << 16}, &Words{Most: 10}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "echo something went wrong >&2; exec yes")
	cmd.Stdout, cmd.Stderr = out, told
	if err := cmd.Run(); err == nil || context.Cause(t.Context()) != nil {
		t.Errorf("the program was not ended: %v", err)
	}
	if !out.TooLong() || len(out.Bytes()) > 1<<16 {
		t.Errorf("%d bytes are kept; that there are more is told: %t", len(out.Bytes()), out.TooLong())
	}
	if got := told.String(); got != "…ent wrong" {
		t.Errorf("of its words %q is kept", got)
	}
}

func TestWords(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, want string
		parts        []string
	}{
		"Short":  {"all of it", "a b", []string{"a ", "b\n"}},
		"Full":   {"nothing is cut where it fits", "12345678", []string{"1234", "5678"}},
		"Pieces": {"the end stays", "…45678901", []string{"1234", "5678", "901"}},
		"Long":   {"also of one piece", "…yyyyyyyy", []string{"a", "x" + strings.Repeat("y", 8)}},
		"Rune":   {"no half of a rune", "…é567ab", []string{"éé567", "ab"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &Words{Most: 8}
			for _, p := range tc.parts {
				if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
					t.Fatalf("wrote %d of %d: %v", n, len(p), err)
				}
			}
			if got := w.String(); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestAnswer: what fits is kept whole.
func TestAnswer(t *testing.T) {
	a := &Answer{Most: 4}
	for _, p := range []string{"ab", "cd"} {
		if _, err := a.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
	}
	if a.TooLong() || string(a.Bytes()) != "abcd" {
		t.Errorf("got %q", a.Bytes())
	}
	if _, err := a.Write([]byte("e")); err == nil || !a.TooLong() {
		t.Error("more than is kept is taken")
	}
}
