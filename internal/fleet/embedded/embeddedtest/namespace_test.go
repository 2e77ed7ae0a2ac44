package embeddedtest

import (
	"strings"
	"testing"
)

func TestPrefix(t *testing.T) {
	tests := map[string]struct {
		reason string
		test   string
		want   string
	}{
		"Plain":   {reason: "the namespace tells which test made it", test: "TestApply", want: "testapply-"},
		"Subtest": {reason: "signs that a name cannot have become dashes", test: "TestApply/two words_and#01", want: "testapply-two-words-and-01-"},
		"Long":    {reason: "room is left for the generated end", test: "Test" + strings.Repeat("x", 100), want: "test" + strings.Repeat("x", namePart-4) + "-"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := prefix(tc.test); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
