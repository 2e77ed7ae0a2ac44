package policy

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	argocd "github.com/gobwas/glob"

	"github.com/causeway-gitops/causeway/internal/glob"
)

// pattern is a glob as both libraries read it: ours, whose time is bounded, and
// the one of Argo CD, which in a few forms that nobody means permits less.
type pattern struct {
	ours   *glob.Pattern
	theirs argocd.Glob
	// alternatives are what the braces stand for, each without any, where both libraries may differ.
	alternatives []*glob.Pattern
	// alike tells that both say the same of each text of ASCII but the empty one.
	alike bool
	// wildcards and choices are what the time of theirs grows by.
	wildcards, choices int
}

const (
	// longestText is as long as an address may be, and longer than any name.
	longestText = 4096
	// mostTried bounds how many bytes theirs may look at for one text: a tenth of a second.
	mostTried = 1 << 28
)

// fits reports whether theirs can be asked about a text: it tries each place of a
// wildcard with each of the others, and people write both.
func (p *pattern) fits(s string) bool {
	tried := float64(p.choices) * float64(len(s))
	for i := 1; i <= p.wildcards && tried <= mostTried; i++ { // in how many ways they share the text
		tried *= float64(len(s)+i) / float64(i)
	}
	return tried <= mostTried
}

// matches is what both say. Where they are alike, theirs is not asked: nothing bounds
// its time. Where it would try for too long, each alternative is asked for alone: without
// braces both say the same.
func (p *pattern) matches(s string) (ours, theirs bool) {
	ours = p.ours.Match(s)
	if p.alikeOn(s) {
		return ours, ours
	}
	if p.fits(s) {
		return ours, p.theirs.Match(s)
	}
	return ours, slices.ContainsFunc(p.alternatives, func(a *glob.Pattern) bool { return a.Match(s) })
}

func (p *pattern) alikeOn(s string) bool { return p.alike && s != "" && isASCII(s) }

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

var compiled = newMemo(read, func(k patternKey) int {
	letters := len(k.pattern)
	if alternatives, err := glob.Alternatives(k.pattern); err == nil && !alike(k) {
		for _, text := range alternatives {
			letters += len(text) + 1
		}
	}
	return letters
})

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
	p := &pattern{
		ours: ours, theirs: theirs, alike: alike(key),
		wildcards: len(wildcards.FindAllString(key.pattern, -1)), choices: choicesOf(key.pattern),
	}
	if p.alike {
		p.alternatives = []*glob.Pattern{ours}
		return p
	}
	if p.alternatives, err = alternativesOf(key.pattern, separators); err != nil {
		return nil
	}
	return p
}

func alternativesOf(text string, separators []rune) ([]*glob.Pattern, error) {
	texts, err := glob.Alternatives(text)
	if err != nil {
		return nil, err
	}
	all := make([]*glob.Pattern, len(texts))
	for i, text := range texts {
		if all[i], err = glob.Compile(text, separators...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var (
	wildcards = regexp.MustCompile(`\*{1,2}|[?[{]`)
	// choices are braces around texts alone.
	choices = regexp.MustCompile(`\{[^][{}*?,\\]+(,[^][{}*?,\\]+)*\}`)
)

// alike reports whether both libraries are known to read a pattern alike. They differ in
// stars in braces, in an empty or a single text there, in three stars where there is a
// separator, and in characters of several bytes.
func alike(key patternKey) bool {
	if !isASCII(key.pattern) || key.separator != 0 && strings.Contains(key.pattern, "***") {
		return false
	}
	return !strings.ContainsAny(choices.ReplaceAllStringFunc(key.pattern, chosen), "{}")
}

// chosen drops braces that leave a choice.
func chosen(braces string) string {
	texts := strings.Split(strings.Trim(braces, "{}"), ",")
	if len(slices.Compact(texts)) == 1 {
		return braces
	}
	return ""
}

// choicesOf is how many texts the braces of a pattern may stand for, at most.
func choicesOf(text string) int {
	all := 1
	for group := range strings.SplitSeq(text, "{") {
		if all *= strings.Count(group, ",") + 1; all > mostTried {
			break
		}
	}
	return all
}

// match reports whether a glob that permits covers a text. A broken one permits
// nothing, and nothing is permitted that is too long to be a name or an address.
func match(text, s string, separator rune) bool {
	p := compile(text, separator)
	if p == nil || len(s) > longestText {
		return false
	}
	ours, theirs := p.matches(s)
	return ours && theirs
}

// matchAny reports whether a glob that forbids covers a text, in either reading.
// A broken one covers all: nobody knows what it was to forbid. What is too long to be a
// name or an address is covered as well.
func matchAny(text, s string, separator rune) bool {
	p := compile(text, separator)
	if p == nil || len(s) > longestText {
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
