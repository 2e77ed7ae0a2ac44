package generate

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// maxPathspec is longer than a path can be, in bytes.
const maxPathspec = 4096

// pathspec reads a pattern as `git ls-files` does: a file, a folder with
// everything below it, or a glob in which wildcards match slashes, too. It
// also returns the folder (or file) that everything it can match is in.
func pathspec(pattern string) (match func(name string) bool, root string, err error) {
	if err := tooLong(pattern); err != nil {
		return nil, "", err
	}
	if strings.HasPrefix(pattern, ":") {
		return nil, "", badPattern(pattern, plain("path magic that starts with a colon is not supported"))
	}
	clean := path.Clean(pattern)
	if pattern == "" || strings.HasPrefix(clean, "/") || clean == ".." || strings.HasPrefix(clean, "../") {
		return nil, "", badPattern(pattern, plain("it is outside of the repository"))
	}
	root = literalRoot(clean)
	if !strings.ContainsAny(clean, `*?[\`) {
		root = clean
	}
	glob := cutOpenClass(clean)
	return func(name string) bool {
		if clean == "." || name == clean || strings.HasPrefix(name, clean+"/") {
			return true
		}
		return wildmatch(glob, name)
	}, root, nil
}

// doublestarPath reads a pattern as a path glob: * stays within a folder.
func doublestarPath(pattern string) (match func(name string) bool, root string, err error) {
	clean := strings.TrimPrefix(pattern, "/")
	if err := bounded.Pattern(clean); err != nil {
		return nil, "", badPattern(fmt.Sprintf("%.200s", pattern), err)
	}
	if !doublestar.ValidatePattern(clean) {
		return nil, "", badPattern(pattern, plain("it is no valid glob"))
	}
	return func(name string) bool { return doublestar.MatchUnvalidated(clean, name) }, ".", nil
}

func tooLong(pattern string) error {
	if len(pattern) <= maxPathspec {
		return nil
	}
	return badPattern(fmt.Sprintf("%.200s", pattern), plain(fmt.Sprintf("it has more than %d bytes", maxPathspec)))
}

func badPattern(pattern string, why error) error {
	return problemf(gitops.Invalid, "cannot use file pattern %q of the git generator: %w", pattern, why).
		Do("write a path relative to the root of the repository")
}

// wildmatch matches a whole name against a glob whose *, ? and classes match
// slashes. It goes back at most to the last star, so its time is bounded by
// the product of the lengths.
func wildmatch(pattern, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(name) || p < len(pattern) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, n
			p++
			continue
		}
		if n < len(name) {
			if width, ok := matchOne(pattern[p:], name[n]); ok {
				p, n = p+width, n+1
				continue
			}
		}
		if star < 0 || mark >= len(name) {
			return false
		}
		mark++
		p, n = star+1, mark
	}
	return true
}

// matchOne matches one byte against the head of a pattern and tells how long
// that head is.
func matchOne(pattern string, c byte) (width int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		return matchClass(pattern, c)
	case '\\':
		return 2, len(pattern) > 1 && pattern[1] == c
	default:
		return 1, pattern[0] == c
	}
}

// cutOpenClass is a pattern up to a class that is not closed, of which the bracket stays:
// nothing matches it, and each byte of each name would look for its end again.
func cutOpenClass(pattern string) string {
	for i := 0; i < len(pattern); {
		switch pattern[i] {
		case '[':
			width, _ := matchClass(pattern[i:], 0)
			if width == 0 {
				return pattern[:i+1]
			}
			i += width
		case '\\':
			i += 2
		default:
			i++
		}
	}
	return pattern
}

// matchClass matches a byte against [abc], [a-z], [!a], [^a] or [[:alpha:]]. A
// class that is not closed matches nothing.
func matchClass(pattern string, c byte) (width int, ok bool) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	named := true // what ends a named class is looked for until there is none
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return i + 1, ok != negated
		}
		if named && strings.HasPrefix(pattern[i:], "[:") {
			var name, after string
			if name, after, named = strings.Cut(pattern[i:], ":]"); named {
				ok = ok || inNamedClass(name[2:], c)
				i = len(pattern) - len(after)
				continue
			}
		}
		low := unescaped(pattern, &i)
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			i++
			high = unescaped(pattern, &i)
		}
		ok = ok || (low <= c && c <= high)
	}
	return 0, false
}

func unescaped(pattern string, i *int) byte {
	if pattern[*i] == '\\' && *i+1 < len(pattern) {
		*i++
	}
	c := pattern[*i]
	*i++
	return c
}

// namedClasses are the POSIX classes of bytes, as pairs of first and last.
var namedClasses = map[string]string{
	"alpha": "azAZ", "alnum": "azAZ09", "digit": "09", "lower": "az", "upper": "AZ", "xdigit": "09afAF",
	"punct": "!/:@[`{~", "space": "  \t\r",
}

func inNamedClass(name string, c byte) bool {
	ranges := namedClasses[name]
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= c && c <= ranges[i+1] {
			return true
		}
	}
	return false
}
