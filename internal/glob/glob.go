// Package glob matches texts with the patterns that Argo CD's users write: "*" for anything, "?" for one character,
// "[ab]", "[!ab]" and "[a-z]" for one of some, "{x,y}" for alternatives, "\" before a character that stands for itself.
//
// No match takes longer than the lengths of pattern and text allow: people who may do little write patterns, and name
// what they are held against. It reads no files and knows nothing of what the texts are.
package glob

import (
	"fmt"
	"regexp"
	"strings"
)

// maxPattern is how many bytes a pattern has at most.
const maxPattern = 4096

// Pattern is a pattern that was read. It never changes; the zero value matches the empty text alone.
type Pattern struct {
	match        matcher
	starInBraces bool
}

// matcher is the cheapest way of matching that a pattern allows.
type matcher interface {
	MatchString(text string) bool
}

// Compile reads a pattern. A star crosses everything but the separators; two stars cross those as well.
func Compile(text string, separators ...rune) (*Pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("the pattern %.40q… is longer than %d bytes: shorten it, or make several of it", text, maxPattern)
	}
	if strings.ContainsAny(text, "\x00\uFFFD") {
		return nil, fmt.Errorf("the pattern %q is not valid UTF-8", text)
	}
	r := newReader(text, separators)
	for len(r.text) > 0 {
		if err := r.next(); err != nil {
			return nil, fmt.Errorf("the pattern %q is broken: %w", text, err)
		}
	}
	m, err := r.matcher()
	if err != nil {
		return nil, fmt.Errorf("the pattern %q is broken: %w", text, err)
	}
	return &Pattern{match: m, starInBraces: r.starInBraces}, nil
}

// MustCompile is Compile for patterns of the product's own.
func MustCompile(text string, separators ...rune) *Pattern {
	p, err := Compile(text, separators...)
	if err != nil {
		panic(err)
	}
	return p
}

// Match reports whether a pattern covers the whole text.
func (p *Pattern) Match(text string) bool {
	if p.match == nil {
		return text == ""
	}
	return p.match.MatchString(text)
}

// StarInBraces is true of a pattern that Argo CD does not always match as it is written.
func (p *Pattern) StarInBraces() bool { return p.starInBraces }

// exact matches itself alone.
type exact string

// MatchString implements matcher.
func (e exact) MatchString(text string) bool { return string(e) == text }

// wild are the parts between stars that cross everything.
type wild []string

// MatchString lets the parts overlap where there are two: "team/*/prod" covers "team/prod", because it does in Argo CD.
func (w wild) MatchString(text string) bool {
	first, last := w[0], w[len(w)-1]
	if !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	if len(w) == 2 {
		return true
	}
	if len(text) < len(first)+len(last) {
		return false
	}
	between := text[len(first) : len(text)-len(last)]
	for _, part := range w[1 : len(w)-1] {
		at := strings.Index(between, part)
		if at < 0 {
			return false
		}
		between = between[at+len(part):]
	}
	return true
}

var _ matcher = (*regexp.Regexp)(nil)
