package policy

import (
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/internal/glob"
)

// compiled keeps patterns: the same few are matched for every object.
var compiled sync.Map // of patternKey to *glob.Pattern, nil for a broken pattern

type patternKey struct {
	pattern   string
	separator rune
}

// match matches a glob; a separator of 0 lets "*" cross everything. A broken
// pattern matches nothing.
func match(pattern, s string, separator rune) bool {
	key := patternKey{pattern, separator}
	if known, ok := compiled.Load(key); ok {
		g, _ := known.(*glob.Pattern)
		return g != nil && g.Match(s)
	}
	var separators []rune
	if separator != 0 {
		separators = []rune{separator}
	}
	g, err := glob.Compile(pattern, separators...)
	if err != nil {
		compiled.Store(key, nil)
		return false
	}
	compiled.Store(key, g)
	return g.Match(s)
}

// matchDeny is match, turned round for a pattern that begins with "!".
func matchDeny(pattern, s string, separator rune) bool {
	if rest, deny := strings.CutPrefix(pattern, "!"); deny {
		return !match(rest, s, separator)
	}
	return pattern == "*" || match(pattern, s, separator)
}

func denies(pattern string) bool { return strings.HasPrefix(pattern, "!") }
