package offline

import "testing"

// TestRevisionToCopy: a flag to copy has no revision in it that a shell would run.
func TestRevisionToCopy(t *testing.T) {
	for revision, want := range map[string]string{
		"v1.2": " v1.2", "release/1.2_x": " release/1.2_x",
		"": "", "x;reboot": "", "$(reboot)": "", "`reboot`": "", "--all": "", "a b": "", "a\nreboot": "", "~root": "",
	} {
		if got := argument(revision); got != want {
			t.Errorf("%q becomes %q, want %q", revision, got, want)
		}
	}
}
