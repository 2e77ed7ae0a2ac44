package template

import (
	"regexp"
	"strings"
)

// ofWholeParts is a function of whole numbers to which a text such as 3.7 is 3:
// sprig's own takes it for 0.
func ofWholeParts(function any) any {
	switch f := function.(type) {
	case func(any) int:
		return func(a any) int { return f(wholePart(a)) }
	case func(any) int64:
		return func(a any) int64 { return f(wholePart(a)) }
	case func(any, any) int64:
		return func(a, b any) int64 { return f(wholePart(a), wholePart(b)) }
	case func(...any) int64:
		return func(all ...any) int64 { return f(wholeParts(all)...) }
	case func(any, ...any) int64:
		return func(a any, all ...any) int64 { return f(wholePart(a), wholeParts(all)...) }
	default:
		return function
	}
}

var decimal = regexp.MustCompile(`^([-+]?\d*)\.\d*$`)

func wholePart(v any) any {
	text, ok := v.(string)
	if !ok || !strings.Contains(text, ".") {
		return v
	}
	parts := decimal.FindStringSubmatch(text)
	if parts == nil {
		return v
	}
	if strings.Trim(parts[1], "+-") == "" {
		return "0"
	}
	return parts[1]
}

func wholeParts(all []any) []any {
	out := make([]any, len(all))
	for i, v := range all {
		out[i] = wholePart(v)
	}
	return out
}
