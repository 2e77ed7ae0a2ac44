package policy

import (
	"math"
	"regexp"
	"strings"

	argocd "github.com/gobwas/glob"

	"github.com/causeway-gitops/causeway/internal/glob"
)

// pattern is a glob as both libraries read it: ours, whose time is bounded, and
// the one of Argo CD, which in a few forms that nobody means permits less.
type pattern struct {
	ours *glob.Pattern
	// theirs is nil where both are known to agree.
	theirs argocd.Glob
	// stars and alternatives are what the time of theirs grows by.
	stars, alternatives int
}

const (
	// longestText is as long as an address may be, and longer than any name.
	longestText = 4096
	// mostTries bounds how often theirs may try one text: some hundredths of a second.
	mostTries = 1 << 24
)

// fits reports whether a text can be held against the pattern in a bounded time:
// people write both, and theirs tries each place of a star with each of the others.
func (p *pattern) fits(s string) bool {
	if len(s) > longestText {
		return false
	}
	if p.theirs == nil {
		return true
	}
	return float64(p.alternatives)*math.Pow(float64(len(s)+1), float64(p.stars)) <= mostTries
}

// matches is what both say. Without theirs it is what ours says.
func (p *pattern) matches(s string) (ours, theirs bool) {
	ours = p.ours.Match(s)
	if p.theirs == nil {
		return ours, ours
	}
	return ours, p.theirs.Match(s)
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
	if key.separator == 0 && !strings.ContainsAny(key.pattern, `?[{\`) && !strings.Contains(key.pattern, "**") {
		return &pattern{ours: ours} // stars between texts
	}
	return &pattern{ours, theirs, len(starRuns.FindAllString(key.pattern, -1)), alternativesOf(key.pattern)}
}

var starRuns = regexp.MustCompile(`\*+`)

// alternativesOf is how many texts the braces of a pattern may stand for, at most.
func alternativesOf(text string) int {
	all := 1
	for group := range strings.SplitSeq(text, "{") {
		if all *= strings.Count(group, ",") + 1; all > mostTries {
			break
		}
	}
	return all
}

// match reports whether a glob that permits covers a text. A broken one permits
// nothing, and neither does one that would try for too long.
func match(text, s string, separator rune) bool {
	p := compile(text, separator)
	if p == nil || !p.fits(s) {
		return false
	}
	ours, theirs := p.matches(s)
	return ours && theirs
}

// matchAny reports whether a glob that forbids covers a text, in either reading.
// A broken one covers all: nobody knows what it was to forbid. So does one that would
// try for too long.
func matchAny(text, s string, separator rune) bool {
	p := compile(text, separator)
	if p == nil || !p.fits(s) {
		return true
	}
	ours, theirs := p.matches(s)
	return ours || theirs
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
