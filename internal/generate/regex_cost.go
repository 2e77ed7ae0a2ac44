package generate

import (
	"reflect"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// expects tells of the functions that take a regular expression and a text.
func expects(name string) bool {
	return (strings.HasPrefix(name, "regex") || strings.HasPrefix(name, "mustRegex")) && name != "regexQuoteMeta"
}

// perCompile is how many bytes a text has that is matched about as long as an
// expression takes to compile: that is done at each call.
const perCompile = 64

// matched bounds a function that takes an expression and a text, and one that
// replaces by its result. What cannot be read is the function's to tell.
func matched(f any, limit int, matching *bounded.Matching) any {
	return wrap(f, func(call func() []reflect.Value, args []reflect.Value) ([]reflect.Value, error) {
		pattern, text := args[0].String(), args[1].String()
		if err := matching.Take(len(pattern), perCompile); err != nil {
			return nil, err
		}
		re, err := bounded.Compile(pattern)
		if bounded.IsCostly(err) {
			return nil, err
		}
		if err != nil {
			return call(), nil //nolint:nilerr // it gives the same error, or says that nothing matches
		}
		if err := matching.Take(re.Size, len(text)+perCompile); err != nil {
			return nil, err
		}
		if by := args[len(args)-1]; len(args) == 3 && by.Kind() == reflect.String && becomesOf(re, text, by.String(), limit) > limit {
			return nil, errTooLarge
		}
		if most := args[len(args)-1]; len(args) == 3 && most.CanInt() && perPiece*matchesOf(re, text, most.Int(), limit) > limit {
			return nil, errTooLarge
		}
		return call(), nil
	})
}

// matchesOf is how many matches a list of them has, where that may be above the
// limit. Most are all if it is negative.
func matchesOf(re *bounded.Expression, text string, most int64, limit int) int {
	room := limit / perPiece
	if len(text) < room || most >= 0 && most <= int64(room) {
		return 0
	}
	return len(re.FindAllStringIndex(text, room+1))
}

// becomesOf is no less than what becomes of a text, where that may be above the limit.
func becomesOf(re *bounded.Expression, text, by string, limit int) int {
	if (len(text)+1)*(len(by)+1) <= limit {
		return 0
	}
	matches, bytes := 0, 0
	re.ReplaceAllStringFunc(text, func(m string) string {
		matches++
		bytes += len(m)
		return ""
	})
	return len(text) + matches*len(by) + bytes*strings.Count(by, "$")
}
