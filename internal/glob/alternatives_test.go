package glob

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAlternatives(t *testing.T) {
	for text, want := range map[string][]string{
		"":               {""},
		"a,b}":           {"a,b}"},
		"{a*,b}c{,d}":    {"a*c", "a*cd", "bc", "bcd"},
		"{a,b{c,d}}":     {"a", "bc", "bd"},
		"{a,b":           {"a", "b"},
		`\{a,[{,]{\,,x}`: {`\{a,[{,]\,`, `\{a,[{,]x`},
		"{[!,-}]x,y}":    {"[!,-}]x", "y"},
		`{[\]},]x,y}`:    {`[\]},]x`, "y"},
		`{a\`:            {`a\`},
		"{[\x90-0[":      {"[\x90-0["}, // no letter, but a byte
	} {
		if got, err := Alternatives(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q stands for %q (%v), want %q", text, got, err, want)
		}
	}
	for _, text := range []string{strings.Repeat("{a,b}", 10), "{" + strings.Repeat(",", 600), strings.Repeat("{", 1300) + strings.Repeat("a,b}", 700), "{a,b,c,d,e}" + strings.Repeat("x", 4000)} {
		if _, err := Alternatives(text); !errors.Is(err, ErrAlternatives) {
			t.Errorf("%.40q… is read: %v", text, err)
		}
	}
}

// FuzzAlternatives holds a pattern to the alternatives that it stands for.
func FuzzAlternatives(f *testing.F) {
	f.Add("{a*,b?}[!,]{c,{d,e}", "abcd")
	f.Fuzz(func(t *testing.T, text, object string) {
		p, err := Compile("{" + text)
		if err != nil || strings.HasSuffix(text, `\`) {
			return
		}
		texts, err := Alternatives("{" + text)
		if err != nil {
			return
		}
		some := slices.ContainsFunc(texts, func(text string) bool {
			one, err := Compile(text + "[x]") // then no part overlaps another
			if err != nil {
				t.Fatalf("%q of %q: %v", text, "{"+text, err)
			}
			return one.Match(object + "x")
		})
		if got := p.Match(object); got != some {
			t.Errorf("%q matches %q: %v, of its alternatives %q one does: %v", "{"+text, object, got, texts, some)
		}
	})
}
