package glob

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Between separators a star is a part of a path; two are all of it.
func TestSeparators(t *testing.T) {
	cases := map[string]struct {
		reason     string
		pattern    string
		separators []rune
		yes, no    []string
	}{
		"Star":       {"one star ends where a part does", "a/*/c", []rune{'/'}, []string{"a/b/c", "a//c"}, []string{"a/b/b/c", "a/c"}},
		"Stars":      {"two go on", "a/**/c", []rune{'/'}, []string{"a/b/c", "a/b/b/c"}, []string{"b/b/c"}},
		"Three":      {"and so do three", "a***c", []rune{'/'}, []string{"ac", "a/b/c"}, []string{"a/b"}},
		"Single":     {"a question mark is none", "a?c", []rune{'/'}, []string{"abc", "aéc"}, []string{"a/c"}},
		"Class":      {"one that is named is one", "a[/x]c", []rune{'/'}, []string{"a/c", "axc"}, []string{"abc"}},
		"Several":    {"several count, each for itself", "*.*", []rune{'.', '/'}, []string{"a.b"}, []string{"a.b.c", "a/b.c"}},
		"Signs":      {"also those that are signs elsewhere", "a*c", []rune{'-', ']', '^', '\\'}, []string{"abc"}, []string{"a-c", "a]c", "a^c", `a\c`}},
		"Unicode":    {"and those of other letters", "a*c", []rune{'·'}, []string{"abc", "aßc"}, []string{"a·c"}},
		"Braces":     {"in braces they are the same", "{a*,b}c", []rune{'/'}, []string{"axc", "bc"}, []string{"a/c"}},
		"Lines":      {"a line break is a character as any", "a?c", nil, []string{"a\nc"}, []string{"a\n\nc"}},
		"None":       {"without any all is crossed", "a*c", nil, []string{"a/c", "a.c"}, nil},
		"Whole":      {"the whole text is covered", "*", []rune{'/'}, []string{"", "a"}, []string{"/", "a/"}},
		"BothAtEnds": {"a star may stand for nothing", "*/*", []rune{'/'}, []string{"/", "a/", "/b"}, []string{"", "a", "a/b/c"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := Compile(tc.pattern, tc.separators...)
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

// A pattern that is refused is told as far as it helps, and why.
func TestWhyPatternsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"[z-a]":                              `the pattern "[z-a]" is broken: a class is [abc], [!abc], [a-z] or [!a-z]`,
		"a\xff":                              "is not valid UTF-8",
		"\x00":                               "is not valid UTF-8",
		strings.Repeat("é", maxPattern/2+1):  "is longer than 4096 bytes: shorten it, or make several of it",
		strings.Repeat("é", 3000) + "\x00[a": "is longer than 4096 bytes",
	} {
		if _, err := Compile(text); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 250 {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	longest := strings.Repeat("é", maxPattern/2)
	if p, err := Compile(longest); err != nil || !p.Match(longest) {
		t.Errorf("one of as many bytes as there may be: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a pattern of the product's own that is broken is taken")
		}
	}()
	if !MustCompile("a*").Match("ab") {
		t.Error("one that is not does not match")
	}
	MustCompile("[")
}

func TestPatternThatWasNotRead(t *testing.T) {
	var p Pattern
	if !p.Match("") || p.Match("a") || p.StarInBraces() {
		t.Error("it matches more than nothing")
	}
}

// Argo CD matches a star in braces in its own way: who compares with it has to know.
func TestStarInBraces(t *testing.T) {
	for text, want := range map[string]bool{
		"{a*,b}": true, "{a,{b,c*}}": true, "{a,*": true, "{a,b}*": false, "*{a,b}": false, "a*": false, `{a,\*}`: false, "{[*],a}": false, "{?,a}": false, `\{*`: false, "a}*": false,
	} {
		if got := MustCompile(text).StarInBraces(); got != want {
			t.Errorf("%q has a star in braces: %v", text, got)
		}
	}
}

// As many alternatives as are held against texts, and one more.
func TestMostAlternatives(t *testing.T) {
	list := func(n, size int) string { return "{" + strings.Repeat(strings.Repeat("x", size)+",", n-1) + "x}" }
	for name, tc := range map[string]struct {
		reason, text string
		want         int
	}{
		"Most":      {"so many", list(maxAlternatives, 1), maxAlternatives},
		"More":      {"one more", list(maxAlternatives+1, 1), 0},
		"Product":   {"as many together", "{a,b}" + list(maxAlternatives/2, 1), maxAlternatives},
		"Products":  {"and more", "{a,b,c}" + list(maxAlternatives/2, 1), 0},
		"Inside":    {"those in braces count, too", "{" + list(maxAlternatives, 1) + ",y}", 0},
		"InsideOne": {"in one alternative as in all", "{" + list(300, 1) + "," + list(300, 1) + "}", 0},
		"Bytes":     {"they are not long together", list(5, 4200), 0},
		"BytesMost": {"or short enough", list(5, 3200), 5},
	} {
		got, err := Alternatives(tc.text)
		if len(got) != tc.want || errors.Is(err, ErrAlternatives) != (tc.want == 0) {
			t.Errorf("%s: %s: %d, %v", name, tc.reason, len(got), err)
		}
	}
	if got, err := Alternatives(`{{a,b},}\,{c`); err != nil || !slices.Equal(got, []string{`a\,c`, `b\,c`, `\,c`}) {
		t.Errorf("%q, %v", got, err)
	}
}
