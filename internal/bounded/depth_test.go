package bounded

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// tooDeep are texts with so many lists and mappings in one another.
var tooDeep = map[string]func(n int) string{
	"JSON":    func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) },
	"flow":    func(n int) string { return "{x: " + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}" },
	"dashes":  func(n int) string { return strings.Repeat("- ", n) + "1\n" },
	"keys":    func(n int) string { return strings.Repeat("? ", n) + "1\n" },
	"block":   func(n int) string { return block(n, "\n") },
	"returns": func(n int) string { return block(n, "\r") },
	"NEL":     func(n int) string { return block(n, "\u0085") },
	"both": func(n int) string {
		return block(n/2, "\n") + strings.Repeat(" ", n/2) + strings.Repeat("[", n-n/2) + strings.Repeat("]", n-n/2)
	},
	"aliases":  aliases,
	"UTF-16":   func(n int) string { return inUTF16(strings.Repeat("- ", n) + "1\n") },
	"document": func(n int) string { return "a: b\n---\n" + strings.Repeat("- ", n) + "1\n" },
}

// block has a key on each line, a blank further each.
func block(n int, end string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:" + end)
	}
	return b.String()
}

// aliases has lists, each of which holds the one before.
func aliases(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 []\n")
	for i := 1; i < n-1; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	return b.String()
}

func inUTF16(text string) string {
	out := []byte{0xff, 0xfe}
	for _, c := range utf16.Encode([]rune(text)) {
		out = append(out, byte(c), byte(c>>8))
	}
	return string(out)
}

func TestDepthIsBounded(t *testing.T) {
	for name, text := range tooDeep {
		t.Run(name, func(t *testing.T) {
			if _, err := Check([]byte(text(MostDepth - 2))); err != nil {
				t.Errorf("what is less deep is refused: %v", err)
			}
			_, err := Check([]byte(text(MostDepth + 2)))
			if much := (*TooMuch)(nil); !errors.As(err, &much) || much.Most != MostDepth {
				t.Errorf("what is deeper: %v", err)
			}
		})
	}
	for name, text := range map[string]string{
		"indented text": "a: |\n" + strings.Repeat(" ", 2*MostDepth) + "b\n",
		"signs":         "a: |\n  " + strings.Repeat("{[", MostDepth) + "\n",
		"a rule":        "a: 1\n" + "# " + strings.Repeat("-", 2*MostDepth) + "\n" + strings.Repeat("#-", MostDepth) + "\nb: 2\n",
	} {
		if _, err := Check([]byte(text)); err != nil {
			t.Errorf("%s: what is not deep is refused: %v", name, err)
		}
	}
}
