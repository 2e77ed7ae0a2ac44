package object

import "testing"

func TestReplaceWord(t *testing.T) {
	cases := map[string]struct{ reason, text, name, want string }{
		"Whole":  {"a name stands alone", "web-dev on dev.example.com", "dev", "web-<c> on <c>.example.com"},
		"Part":   {"a part of a word is none", "develop devs dev1 1dev", "dev", "develop devs dev1 1dev"},
		"Ends":   {"at both ends", "dev/x/dev", "dev", "<c>/x/<c>"},
		"Empty":  {"no name replaces nothing", "a b", "", "a b"},
		"Itself": {"what takes its place is not looked at again", "c c", "c", "<c> <c>"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ReplaceWord(tc.text, tc.name, "<c>"); got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}
