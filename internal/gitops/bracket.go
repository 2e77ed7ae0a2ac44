package gitops

import (
	"fmt"
	"strings"
)

// QuoteHost takes the brackets around an IP address in a pattern for text. They
// are signs of patterns, too: read so, "!https://[fd00::10]" denies nothing.
func QuoteHost(pattern string) string {
	start := 0
	if i := strings.Index(pattern, "://"); i >= 0 {
		start = i + len("://")
	}
	authority, _, _ := strings.Cut(pattern[start:], "/")
	start += strings.LastIndex(authority, "@") + 1
	inside, after, is := CutBrackets(pattern[start:])
	if !is {
		return pattern
	}
	return pattern[:start] + `\[` + inside + `\]` + after
}

// CutBrackets parts what is in the brackets at the start of a text, which may be
// escaped, from what follows them. One that is a class has no colon in it:
// hosts have none.
func CutBrackets(text string) (inside, after string, is bool) {
	text, is = strings.CutPrefix(strings.TrimPrefix(text, `\`), "[")
	if !is {
		return "", "", false
	}
	depth := 0
	for i, c := range text {
		switch {
		case c == '/':
			return "", "", false
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case c == ']':
			inside, after = strings.TrimSuffix(text[:i], `\`), text[i+1:]
			return inside, after, strings.Contains(inside, ":") && !strings.HasPrefix(inside, "!")
		}
	}
	return "", "", false
}

// signs have a meaning in patterns, a "!" at the start of one.
const signs = `*?[]{}!\`

// SignOfPattern is the first sign of a server's or repository's address that has
// a meaning in patterns; empty without one. The brackets around an IP address are
// none, and who signs in is not looked at.
func SignOfPattern(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	}
	rest = rest[userLength(rest):]
	if inside, after, is := CutBrackets(rest); is && !strings.HasPrefix(rest, `\`) {
		rest = inside + after
	}
	address = scheme + rest
	if i := strings.IndexAny(address, signs); i >= 0 {
		return address[i : i+1]
	}
	return ""
}

// OneServer refuses the address of a server that would be a pattern where what
// a project permits is compared.
func OneServer(server string) error {
	if sign := SignOfPattern(server); sign != "" {
		return fmt.Errorf("it has the sign %s of patterns: write the address of one API server", sign)
	}
	return nil
}

// userLength is how much of what follows the scheme says who signs in.
func userLength(rest string) int {
	authority, _, _ := strings.Cut(rest, "/")
	return strings.LastIndex(authority, "@") + 1
}
