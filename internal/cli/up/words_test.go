package up

import "testing"

// TestPathsAreOneWordOfAShell, whatever is in them.
func TestPathsAreOneWordOfAShell(t *testing.T) {
	for text, want := range map[string]string{
		"/home/me/.kube/config-1_a": "/home/me/.kube/config-1_a", "": "''", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "~/x": "'~/x'", "/a;rm": "'/a;rm'",
		"/$HOME": "'/$HOME'", "/a\nb": "'/a\nb'", "/a\n": "'/a\n'", "/B\u00fcro": "'/B\u00fcro'", "/*": "'/*'", "!x": "'!x'",
	} {
		if got := asWord(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
