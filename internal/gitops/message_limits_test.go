package gitops

import "testing"

func TestFirst(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		most         int
		want         string
	}{
		"Short":  {"a text that is not longer stays", "abc", 3, "abc"},
		"Long":   {"of a longer one its beginning", "abcd", 3, "abc…"},
		"Within": {"no character is cut", "aé", 2, "a…"},
		"None":   {"there may be no room for any", "é", 1, "…"},
		"Broken": {"what is no text has a beginning, too", "\x80\x80\x80", 2, "…"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := First(tc.text, tc.most); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
