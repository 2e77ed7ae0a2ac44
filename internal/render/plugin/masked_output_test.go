package plugin

import "testing"

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
