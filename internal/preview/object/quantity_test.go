package object

import "testing"

// TestQuantities are numbers, unless they would be of more digits than anybody reads.
func TestQuantities(t *testing.T) {
	for text, want := range map[string]string{"1500m": "1.5", "1Ki": "1024", "1e3": "1000", "1e400000000": "", "1e-99999": "", "words": ""} {
		if got, ok := quantity(text); got != want || ok != (want != "") {
			t.Errorf("%s is %.40q, want %q", text, got, want)
		}
	}
}
