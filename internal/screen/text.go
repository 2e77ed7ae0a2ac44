// Package screen keeps what others wrote from telling a terminal what to do: to
// go back and write over what stands there, to fill the clipboard, or to turn
// the direction of writing.
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

// JSON is a text of JSON with what a terminal would follow written as escapes:
// the value is the same. JSON itself escapes all below space.
func JSON(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r > unicode.MaxASCII && tells(r) || r == 0x7f {
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
