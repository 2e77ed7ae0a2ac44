package plugin

import (
	"strings"
	"testing"
)

func TestScrubMasksTheLongestFirst(t *testing.T) {
	env := []string{"A_TOKEN=blue-fish", "B_TOKEN=red-blue-fish-swim", "SHORT_TOKEN=red", "COLOUR=swim"}
	for text, want := range map[string]string{
		"no red-blue-fish-swim": "no [masked]",
		"no blue-fish":          "no [masked]",
		"red may swim":          "red may swim",
	} {
		if got := scrub(text, env); got != want {
			t.Errorf("of %q it shows %q, want %q", text, got, want)
		}
	}
}

func TestScrub(t *testing.T) {
	env := []string{"A_TOKEN=blue\x01fish", "B_TOKEN=red\r\nfish"}
	for name, tc := range map[string]struct {
		reason, text, want string
	}{
		"Empty":    {"a command may say nothing", " \n", ""},
		"Coloured": {"colours stand between a key and its value", "\x1b[1;31mpassword\x1b[0m=\x1b[36mhunter2\x1b[0m", "password=[redacted]"},
		"Compound": {"of a colour with several numbers nothing hides a value", "password=\x1b[1;31mhunter2\x1b[0m; token: \x1b[0;33mhunter2", "password=[redacted]; token: [redacted]"},
		"In value": {"a colour parts no token", "Bearer abcdefgh\x1b[0mhunter2", "Bearer [redacted]"},
		"Split":    {"and in a word", "pass\x00word: hunter2", "password: [redacted]"},
		"Value":    {"also in what a variable has", "no blue\x01fish, bluefish", "no [masked], bluefish"},
		"Lines":    {"lines of Windows are in it as they were written", "no red\r\nfish", "no [masked]"},
		"Parted":   {"what is coloured within is known without", "no red\r\n\x1b[0mfish", "no red\nfish"},
		"Colours":  {"nothing is left of them", "\x1b[1mError:\x1b[0m no \x1b[38:5:1mchart\x1b[K", "Error: no chart"},
		"Bell":     {"nor of other signs", "a\tb\a\x7f\r\nc", "a\tb\nc"},
		"End":      {"of much the end is shown", strings.Repeat("x", 4000) + "the reason", "… " + strings.Repeat("x", 1190) + "the reason"},
		"Letters":  {"and no half of a letter", strings.Repeat("é", 1000) + "a", "… " + strings.Repeat("é", 599) + "a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scrub(tc.text, env); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
