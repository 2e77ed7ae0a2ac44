package glob

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gobwas/glob"
)

func TestGlobs(t *testing.T) {
	cases := map[string]struct {
		reason  string
		pattern string
		yes, no []string
	}{
		"Text":       {"no star, no freedom", "shop/web", []string{"shop/web"}, []string{"shop/web2", "", "SHOP/web"}},
		"Empty":      {"nothing is itself", "", []string{""}, []string{"x"}},
		"Star":       {"a star is everything", "*", []string{"", "a/b", "\n", "é"}, nil},
		"Stars":      {"several are one", "a***b", []string{"ab", "a/x/b"}, []string{"a", "ba"}},
		"Overlap":    {"two parts may overlap", "team/*/prod", []string{"team/x/prod", "team/prod"}, []string{"team/prods", "team"}},
		"NoOverlap":  {"more may not", "a/*/*/b", []string{"a///b", "a/x/y/b"}, []string{"a/b", "a/x/b"}},
		"Order":      {"parts keep their order", "*a*b*c", []string{"abc", "xaxbxc"}, []string{"bac", "acb"}},
		"Single":     {"? is one character", "a?c", []string{"abc", "a/c", "aéc"}, []string{"ac", "abbc"}},
		"Class":      {"one of some", "a[xy]", []string{"ax", "ay"}, []string{"az", "a"}},
		"ClassNot":   {"none of some", "a[!xy]", []string{"az"}, []string{"ax", "a"}},
		"Range":      {"one between two", "[a-c]1", []string{"b1"}, []string{"d1"}},
		"RangeNot":   {"one that is not between them", "[!a-c]1", []string{"d1"}, []string{"b1"}},
		"ClassDash":  {"a dash that is not second is one", "[ac-]", []string{"-", "a"}, []string{"b"}},
		"ClassSigns": {"signs are themselves in a class", `[*?^.\]]`, []string{"*", "?", "^", ".", "]"}, []string{"x"}},
		"Braces":     {"one of several", "{shop,bank}/*", []string{"shop/a", "bank/b"}, []string{"post/a"}},
		"Nested":     {"braces in braces", "{a,b{c,d}}", []string{"a", "bc", "bd"}, []string{"b", "c"}},
		"Open":       {"braces may stay open", "{a,b", []string{"a", "b"}, []string{"{a,b"}},
		"Alone":      {"outside braces both are themselves", "a,b}", []string{"a,b}"}, []string{"a", "b"}},
		"Escapes":    {"a backslash takes the meaning", `\*\{a,\[\\`, []string{`*{a,[\`}, []string{`\*\{a,\[\\`}},
		"EscapeEnd":  {"one at the end is nothing", `a\`, []string{"a"}, []string{`a\`}},
		"Dots":       {"other signs are themselves", "a.b+(c)*", []string{"a.b+(c)d"}, []string{"axb+(c)d"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := Compile(tc.pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range tc.yes {
				if !p.Match(text) {
					t.Errorf("%s: %q does not match %q", tc.reason, tc.pattern, text)
				}
			}
			for _, text := range tc.no {
				if p.Match(text) {
					t.Errorf("%s: %q matches %q", tc.reason, tc.pattern, text)
				}
			}
		})
	}
}

func TestBrokenGlobs(t *testing.T) {
	for _, text := range []string{"[", "[a", "[]", "[!]", "[a-", "[a-]", "[z-a]", "[a-zA-Z]", "a\x00", "\xff"} {
		if p, err := Compile(text); err == nil {
			t.Errorf("%.20q is read as %v", text, p)
		}
	}
}

// Roles of projects are written by many, and names of applications by many more. With a matcher that goes back
// and tries again, each of these runs for longer than anybody waits.
func TestGlobsOfManyStars(t *testing.T) {
	text := strings.Repeat("a", 2000) + strings.Repeat("/ab", 600)
	for _, part := range []string{"*a", "*a?", "*{a*,b*}", "{a,b*}", "*[ab]", "/*a", "?*"} {
		p, err := Compile(strings.Repeat(part, maxPattern/len(part)-1) + "c")
		if err != nil {
			t.Fatal(err)
		}
		if p.Match(text) {
			t.Errorf("%s… matches what does not end in c", part)
		}
	}
}

// FuzzGlob holds the fast way of patterns with nothing but stars to the expressions of all others.
func FuzzGlob(f *testing.F) {
	f.Add("a*b*c", "axbxc")
	f.Add("{*,a}[!x]?", "ab")
	f.Fuzz(func(t *testing.T, text, object string) {
		if len(text) > maxPattern || !utf8.ValidString(object) {
			return
		}
		p, err := Compile(text)
		if err != nil {
			return
		}
		// Braces around it change nothing, but that no part overlaps another.
		same, err := Compile("{" + text + "}")
		if strings.ContainsAny(text, ",}") || err != nil {
			return
		}
		w, is := p.match.(wild)
		overlap := is && len(w) == 2 && len(object) < len(w[0])+len(w[1])
		if got := p.Match(object); got != same.Match(object) && !overlap {
			t.Errorf("%q matches %q: %v, in braces %v", text, object, got, !got)
		}
	})
}

// TestLikeTheirs holds all short patterns to the library that Argo CD uses. That one does otherwise in what nobody
// writes: "?" covers the empty text, and of three stars one wants a character.
func TestLikeTheirs(t *testing.T) {
	patterns := append(words("a/*?", 4), "[ab]*", "a[!/]?", "*[a-b]", "{a,b}?*", "*{a,b}", "{a,b/}{a,b}", `\**`)
	texts := words("ab/", 4)
	for _, separators := range [][]rune{nil, {'/'}} {
		for _, pattern := range patterns {
			ours, err := Compile(pattern, separators...)
			library, libraryErr := glob.Compile(pattern, separators...)
			if err != nil || libraryErr != nil || ours.StarInBraces() || pattern == "?" || strings.Contains(pattern, "***") {
				continue
			}
			for _, text := range texts {
				if got, want := ours.Match(text), library.Match(text); got != want {
					t.Errorf("%q with separators %q matches %q: %v, in the library %v", pattern, string(separators), text, got, want)
				}
			}
		}
	}
}

// words are all texts of up to n letters.
func words(letters string, n int) []string {
	out := []string{""}
	for last := out; n > 0; n-- {
		var next []string
		for _, word := range last {
			for _, c := range letters {
				next = append(next, word+string(c))
			}
		}
		out, last = append(out, next...), next
	}
	return out
}
