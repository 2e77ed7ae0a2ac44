package policy

import (
	"strings"

	argocd "github.com/gobwas/glob"

	"github.com/causeway-gitops/causeway/internal/glob"
)

// pattern is a glob as both libraries read it: ours, whose time is bounded, and
// the one of Argo CD, which in a few forms that nobody means permits less.
type pattern struct {
	ours   *glob.Pattern
	theirs argocd.Glob
}

var compiled = newMemo(read, func(k patternKey) int { return len(k.pattern) })

type patternKey struct {
	pattern   string
	separator rune
}

// compile reads a pattern; nil for a broken one. A separator of 0 lets "*" cross everything.
func compile(text string, separator rune) *pattern { return compiled.of(patternKey{text, separator}) }

func read(key patternKey) *pattern {
	var separators []rune
	if key.separator != 0 {
		separators = []rune{key.separator}
	}
	ours, err := glob.Compile(key.pattern, separators...)
	if err != nil {
		return nil
	}
	theirs, err := argocd.Compile(key.pattern, separators...)
	if err != nil {
		return nil
	}
	return &pattern{ours, theirs}
}

// match reports whether a glob that permits covers a text. A broken one permits nothing.
func match(text, s string, separator rune) bool {
	p := compile(text, separator)
	return p != nil && p.ours.Match(s) && p.theirs.Match(s)
}

// matchAny reports whether a glob that forbids covers a text, in either reading.
// A broken one covers all: nobody knows what it was to forbid.
func matchAny(text, s string, separator rune) bool {
	p := compile(text, separator)
	return p == nil || p.ours.Match(s) || p.theirs.Match(s)
}

// brokenGlob is a pattern that nobody can read.
const brokenGlob = "["

func broken(text string) bool { return compile(text, 0) == nil }

// matchDeny is match, turned round for a pattern that begins with "!". A
// broken one denies everything.
func matchDeny(text, s string) bool {
	if rest, deny := strings.CutPrefix(text, "!"); deny {
		return !matchAny(rest, s, 0)
	}
	return text == "*" || match(text, s, 0)
}

func denies(text string) bool { return strings.HasPrefix(text, "!") }
