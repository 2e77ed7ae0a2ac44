package policy

import (
	"strings"
	"testing"
)

// TestPatternsThatTryForLong has patterns and texts for which one of the libraries tries for hours: each is
// judged at once, and what cannot be is not permitted, and forbidden.
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
		{"single characters before braces", "???{a,aa}a", strings.Repeat("aab", 1300) + "d", false, false},
		{"stars in braces, and a name", "{team-*,shared-*}-{prod,dev-*}", "team-a-prod", true, true},
		{"stars in braces, and an address", "https://*.example.com/{team-*,shared}/*", "https://git.example.com/team-a/applications-of-the-shop.git", true, true},
		{"stars in braces, and what no name is as long as", "{*,a*}{*,a*}{*,a*}d", strings.Repeat("a", 1000), false, false},
		{"stars in braces, and a longer address", "https://{github,gitlab}.com/{org-*,team-*}/*-{deploy,config}.git", "https://github.com/team-payments/checkout-service-" + strings.Repeat("x", 400) + "-deploy.git", true, true},
		{"addresses in braces", "{https://github.com/org-a/*,https://github.com/org-b/*,https://gitlab.com/org-c/*,https://gitlab.com/org-d/**}", "https://github.com/org-b/deployments-of-production.git", true, true},
		{"and one that none of them is", "{https://github.com/org-a/*,https://github.com/org-b/*,https://gitlab.com/org-c/*,https://gitlab.com/org-d/**}", "https://github.com/org-x/deployments-of-production.git", false, false},
		{"stars in braces within stars", "*/{*-prod,*-stage}/*", "team/very-long-name-of-a-cluster-prod/namespace-of-somebody", true, true},
		{"braces that stand for too much", strings.Repeat("{a*,b*}", 10), "ab", false, true},
		{"a character of several bytes in an address's length", "*-{prod,é*}-*-*-*", strings.Repeat("-prod-", 200), true, true},
		{"what tries each place with each other one", "?*a{a,aa}**[ab]*{a,aa}{a,b}***[ab]*{a,b}?", strings.Repeat("ab", 55) + "c", false, false},
	} {
		if got := match(tc.pattern, tc.text, 0); got != tc.permits {
			t.Errorf("%s: %q permits %.40q…: %v", tc.reason, tc.pattern, tc.text, got)
		}
		if got := matchAny(tc.pattern, tc.text, 0); got != tc.forbids {
			t.Errorf("%s: %q forbids %.40q…: %v", tc.reason, tc.pattern, tc.text, got)
		}
	}
}

// TestReadAlike holds patterns and texts to both libraries: for these the second one is not asked.
func TestReadAlike(t *testing.T) {
	var grow func(prefix string, pieces []string, n int, each func(string))
	grow = func(prefix string, pieces []string, n int, each func(string)) {
		each(prefix)
		if n == 0 {
			return
		}
		for _, piece := range pieces {
			grow(prefix+piece, pieces, n-1, each)
		}
	}
	var texts []string
	grow("", []string{"a", "b", "/"}, 4, func(s string) { texts = append(texts, s) })
	for _, separator := range []rune{0, '/'} {
		grow("", []string{"a", "/", "*", "**", "?", "[ab]", "{a,aa}", "{b,ab}"}, 4, func(text string) {
			p := read(patternKey{text, separator})
			if p == nil {
				t.Fatalf("%q is broken", text)
			}
			if !p.alike {
				return
			}
			for _, s := range texts {
				if ours, theirs := p.ours.Match(s), p.theirs.Match(s); s != "" && ours != theirs {
					t.Fatalf("%q matches %q with separator %q: %v, in the other library %v", text, s, separator, ours, theirs)
				}
			}
		})
	}
}

func TestNotReadAlike(t *testing.T) {
	for _, tc := range []struct {
		reason, pattern string
		separator       rune
	}{
		{"stars in braces", "a{b*,c}", 0},
		{"nothing in braces", "a{b,}", 0},
		{"one text in braces", "a*{ab}", 0},
		{"the same text twice in braces", "a*{ab,ab}", 0},
		{"braces in braces", "{a,{b,c}}", 0},
		{"braces that stay open", "{a,b", 0},
		{"three stars at a separator", "a***", '/'},
		{"a character of two bytes", "é?", 0},
	} {
		if p := read(patternKey{tc.pattern, tc.separator}); p == nil || p.alike {
			t.Errorf("%s: %q is asked of one library alone", tc.reason, tc.pattern)
		}
	}
	if p := read(patternKey{pattern: "a?"}); !p.alikeOn("ab") || p.alikeOn("") || p.alikeOn("aé") {
		t.Error("a text of single bytes is not what decides")
	}
}
