package sandbox

import (
	"strings"
	"testing"
)

// TestPatternsThatAreNone: a pattern with a mistake matches nothing, and says so; one that went on with a part of
// itself would tell a health that nobody wrote.
func TestPatternsThatAreNone(t *testing.T) {
	const malformed, capture = "malformed pattern", "refers to a capture that is not there"
	cases := map[string]struct{ reason, text, pattern, want string }{
		"Open":        {"a capture that nobody closes", "abc", "(a", malformed},
		"OpenNowhere": {"also where nothing matches, as in Lua of other engines", "abc", "(x", malformed},
		"OpenAtEnd":   {"also before the end of the text", "abc", "(abc$", malformed},
		"OpenInner":   {"one of two", "abc", "((a)", malformed},
		"Close":       {"one that nobody opens", "abc", "a)", malformed},
		"Set":         {"a set that nobody closes", "abc", "[a", malformed},
		"SetBracket":  {"a first bracket is a member of it", "abc", "[]", malformed},
		"SetNone":     {"also of what is not in it", "abc", "[^]", malformed},
		"SetEscape":   {"an escape at its end", "abc", "[a%", malformed},
		"Escape":      {"an escape of nothing", "abc", "a%", malformed},
		"Balance":     {"brackets of which one is missing", "abc", "%b(", malformed},
		"Frontier":    {"a frontier of no set", "abc", "%fa", malformed},
		"FrontierSet": {"or of one that is none", "abc", "%f[a", malformed},
		"Back":        {"a reference to nothing", "abc", "%1", capture},
		"BackZero":    {"there is no first before the first", "abc", "(a)%0", capture},
		"BackInside":  {"a reference to what is not captured yet", "abc", "(a%1)", capture},
		"Captures":    {"more captures than there are registers", "abc", strings.Repeat("()", maxCaptures+1), "too many captures"},
		"Deep":        {"repetitions in one another", strings.Repeat("a", maxPatternDepth+1), strings.Repeat("a?", maxPatternDepth) + "a", "nested too deep"},
	}
	p := NewOpen(`return obj.text:match(obj.pattern)`)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := p.Run(map[string]any{"obj": map[string]any{"text": tc.text, "pattern": tc.pattern}})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestAnchoredPatternsAreFoundOnce, as Argo CD finds them.
func TestAnchoredPatternsAreFoundOnce(t *testing.T) {
	const source = `local found = "" for word in obj.text:gmatch(obj.pattern) do found = found .. word .. ";" end return found`
	for text, want := range map[string]string{"aab": "a;", "ba": "", "": ""} {
		if got, err := NewOpen(source).Run(map[string]any{"obj": map[string]any{"text": text, "pattern": "^a"}}); err != nil || got != want {
			t.Errorf("in %q: got %v, %v; want %q", text, got, err, want)
		}
	}
}

// TestUnclosedCaptures are told by the pattern alone, as some engines only tell them where they match.
func TestUnclosedCaptures(t *testing.T) {
	for pattern, want := range map[string]bool{
		"": false, "a": false, "(": true, "(a": true, "(a)": false, "((a)": true, ")": false, ")(": false, "()(": true,
		"%(": false, "%((": true, "%": false, "(%)": true, "[(]": false, "[(": false, "[](]": false, "[^](]": false, "([)])": false, "([)]": true,
		"%b()": false, "%b((": false, "%b": false, "%b(": false, "(%b()": true, "%f[(]": false, "[%](]": false, "[%": false, "é(": true,
	} {
		if got := isUnclosed(pattern); got != want {
			t.Errorf("%q opens a capture that it does not close: %t", pattern, got)
		}
	}
}
