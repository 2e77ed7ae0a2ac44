// Package screen keeps what others wrote from telling a terminal what to do: to
// go back and write over what stands there, to fill the clipboard, or to turn
// the direction of writing; and from telling the runner of a job what to do, which
// reads commands out of what is printed.
package screen

import (
	"fmt"
	"strings"
	"unicode"
)

// mark stands for a character that is not shown.
const mark = '�'

// Clean is a text that only says something: control characters but for line
// breaks and tabs, and those that turn the direction of writing, become marks.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !tells(r) {
			return r
		}
		return mark
	}, text)
}

// Line is a clean text in one line: breaks and tabs become spaces.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case tells(r):
			return mark
		}
		return r
	}, text)
}

// Words is a clean text in one line with one space between its words.
func Words(text string) string { return Line(strings.Join(strings.Fields(text), " ")) }

// JSON is a text of JSON with what a terminal or a job's runner would follow
// written as escapes: the value is the same. JSON itself escapes all below space.
func JSON(text string) string {
	if plain(text) && !strings.Contains(text, "##") {
		return text
	}
	var b strings.Builder
	var signs commands
	for _, r := range text {
		// A bracket after number signs stands within a string, as these have no place elsewhere.
		if signs.calls(r) || r > unicode.MaxASCII && tells(r) || r == 0x7f {
			_, _ = fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// tells reports whether a terminal does more than show a character.
func tells(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// plain reports whether a text has nothing but signs of ASCII, breaks and tabs.
func plain[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}
