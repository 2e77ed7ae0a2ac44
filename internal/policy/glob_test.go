package policy

import (
	"strings"
	"testing"

	argocd "github.com/gobwas/glob"
)

// TestPatternsThatTryForLong has patterns and texts for which one of the libraries tries for hours: nothing is permitted
// by them, and all is forbidden.
func TestPatternsThatTryForLong(t *testing.T) {
	for _, tc := range []struct {
		reason, pattern, text string
		permits, forbids      bool
	}{
		{"a name and a pattern of many stars", "*-prod-*-db-*-x-*", "a-prod-b-db-c-x-d", true, true},
		{"a name that it is not about", "*-prod-*-db-*", "a-dev-b", false, false},
		{"an address under braces", "https://{github.com,git.example.com}/*/*.git", "https://git.example.com/team/apps.git", true, true},
		{"a text that is no name", "*-prod-*-db-*", strings.Repeat("-prod-", 150_000), false, true},
		{"nor one of an address's length that no library hurries over", "*-prod-*-db-*-x-*", strings.Repeat("-prod-db_x", 409), false, false},
		{"what tries each place with each other one", "?*a{a,aa}**[ab]*{a,aa}{a,b}***[ab]*{a,b}?", strings.Repeat("ab", 55) + "c", false, true},
	} {
		if got := match(tc.pattern, tc.text, 0); got != tc.permits {
			t.Errorf("%s: %q permits %.40q…: %v", tc.reason, tc.pattern, tc.text, got)
		}
		if got := matchAny(tc.pattern, tc.text, 0); got != tc.forbids {
			t.Errorf("%s: %q forbids %.40q…: %v", tc.reason, tc.pattern, tc.text, got)
		}
	}
}

// TestStarsAreAlike holds patterns of stars and texts to both libraries: for these the second one is not asked.
func TestStarsAreAlike(t *testing.T) {
	var grow func(prefix, letters string, n int, each func(string))
	grow = func(prefix, letters string, n int, each func(string)) {
		each(prefix)
		if n == 0 {
			return
		}
		for _, c := range letters {
			grow(prefix+string(c), letters, n-1, each)
		}
	}
	var texts []string
	grow("", "ab/", 5, func(s string) { texts = append(texts, s) })
	grow("", "ab*", 6, func(text string) {
		if strings.Contains(text, "**") {
			return
		}
		p := read(patternKey{pattern: text})
		both := mustTheirs(t, text)
		if p == nil || p.theirs != nil {
			t.Fatalf("%q is asked of both", text)
		}
		for _, s := range texts {
			if got, want := p.ours.Match(s), both.Match(s); got != want {
				t.Fatalf("%q matches %q: %v, in the other library %v", text, s, got, want)
			}
		}
	})
}

func mustTheirs(t *testing.T, text string) argocd.Glob {
	t.Helper()
	theirs, err := argocd.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return theirs
}
