package gitops

import (
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"production", "staging", "stage"}
	for name, tc := range map[string]struct {
		reason, wrong string
		known         []string
		want          string
	}{
		"Letter":   {"a letter is missing", "producton", known, `; did you mean "production"?`},
		"Short":    {"two letters of a short name may be wrong", "stgae", known, `; did you mean "stage"?`},
		"Far":      {"nothing is near", "elsewhere", known, ""},
		"None":     {"nothing is known", "stage", nil, ""},
		"Same far": {"of two that are as near, the first in the order of names", "b", []string{"c", "a"}, `; did you mean "a"?`},
		"Many":     {"of very many the first ones are looked at", "x", append(make([]string, mostCompared), "xyzzy"), `; did you mean ""?`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DidYouMean(tc.wrong, tc.known); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestDistance(t *testing.T) {
	long := strings.Repeat("a", 10*longestCompared)
	for name, tc := range map[string]struct {
		a, b string
		want int
	}{
		"same": {"web", "web", 0}, "replaced": {"web", "wed", 1}, "inserted": {"web", "webs", 1}, "deleted": {"web", "we", 1},
		"empty": {"", "web", 3}, "runes": {"ä", "a", 1}, "long": {long, long + "b", 0},
	} {
		if got := Distance(tc.a, tc.b); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
