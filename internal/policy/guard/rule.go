// Package guard tells when a deletion is a mass deletion, which a person has
// to approve first: of an application's objects, of an ApplicationSet's
// applications, or of the applications of the whole fleet in a while. It names
// lists of deletions, so that an approval is bound to exactly one of them. It
// deletes nothing, and knows nothing of clusters.
package guard

import (
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Rule says from when on deletions are held.
type Rule struct {
	// Off holds nothing. The rest is then what a more specific rule is written over.
	Off bool
	// Share is a percentage: more than this share of all is held, …
	Share float64
	// Least … when it is at least this many.
	Least int
	// Most is the number above which deletions are held whatever their share;
	// 0: there is no such number.
	Most int
}

// Holds reports whether so many deletions out of so many are held. Both may be
// weighted.
func (r Rule) Holds(gone, of int) bool {
	switch {
	case r.Off || gone == 0:
		return false
	case r.Most > 0 && gone > r.Most:
		return true
	}
	return gone >= r.Least && float64(gone)*100 > r.Share*float64(of)
}

// String has the form that Parse reads.
func (r Rule) String() string {
	if r.Off {
		return "off"
	}
	text := strconv.FormatFloat(r.Share, 'f', -1, 64) + "% min " + strconv.Itoa(r.Least)
	if r.Most > 0 {
		text += " max " + strconv.Itoa(r.Most)
	}
	return text
}

// maxText bounds what a rule may be written with, in bytes.
const maxText = 100

// Parse reads a rule over a more general one: "off", or any of "50%", "min 5"
// and "max 10", with spaces or commas between. What it does not say is as in
// base; "max" without a share lets every share go up to that number.
func Parse(text string, base Rule) (Rule, error) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(words) == 0 || len(text) > maxText {
		return base, unreadable(text)
	}
	if len(words) == 1 && words[0] == "off" {
		base.Off = true // the rest is what one below goes by that is on again
		return base, nil
	}
	said := words
	out := base
	out.Off = false
	for len(words) > 0 {
		used, ok := out.take(words)
		if !ok {
			return base, unreadable(text)
		}
		words = words[used:]
	}
	if slices.Contains(said, "max") && !slices.ContainsFunc(said, func(w string) bool { return strings.HasSuffix(w, "%") }) {
		out.Share = 100
	}
	return out, nil
}

// take reads the first part of a rule, and tells how many words that was.
func (r *Rule) take(words []string) (used int, ok bool) {
	if share, is := strings.CutSuffix(words[0], "%"); is {
		value, err := strconv.ParseFloat(share, 64)
		r.Share = value
		return 1, err == nil && value >= 0 && value <= 100
	}
	if len(words) == 1 {
		return 0, false
	}
	value, err := strconv.Atoi(words[1])
	if err != nil || value < 0 {
		return 0, false
	}
	switch words[0] {
	case "min":
		r.Least = value
		return 2, true
	case "max":
		r.Most = value
		return 2, value > 0
	}
	return 0, false
}

func unreadable(text string) error {
	return gitops.Problemf(gitops.Invalid, "cannot read %q as a limit of deletions", gitops.First(text, maxText)).
		Do(`write "off", or any of a share, a least and a most, as in "50% min 5 max 20"`)
}

// Nearest is the rule that the most specific of several texts gives, the most
// specific last. One that cannot be read is left out and told of.
func Nearest(base Rule, texts ...string) (Rule, error) {
	var problem error
	for _, text := range texts {
		if text == "" {
			continue
		}
		next, err := Parse(text, base)
		if err != nil {
			problem = err
			continue
		}
		base = next
	}
	return base, problem
}
