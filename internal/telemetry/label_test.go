package telemetry

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLabel(t *testing.T) {
	for given, want := range map[string]string{
		"https://a":                       "https://a",
		"a\xffb":                          "a\uFFFDb",
		strings.Repeat("x", 2*maxLabel):   strings.Repeat("x", maxLabel),
		strings.Repeat("x", 511) + "€uro": strings.Repeat("x", 511) + "\uFFFD",
	} {
		if got := Label(given); got != want || !utf8.ValidString(got) {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}
