package bounded

import (
	"fmt"
	"strings"
)

const (
	mostPattern      = 4096 // bytes
	mostAlternatives = 1000
)

// Pattern refuses a glob whose alternatives are too many when they are written
// out, as "{a,b}{c,d}" is four: each is held against a name by itself, which
// cannot be stopped.
func Pattern(text string) error {
	if len(text) > mostPattern {
		return &Costly{fmt.Sprintf("the pattern %.40q… has more than %d bytes", text, mostPattern), "shorten it"}
	}
	if alternatives(text) > mostAlternatives {
		return &Costly{fmt.Sprintf("the pattern %.40q… has more than %d alternatives with its braces written out", text, mostAlternatives), "use fewer braces, or several patterns"}
	}
	return nil
}

// alternatives is how many a pattern has at most; more than mostAlternatives where
// it ceased to count. A brace may be a character, by a backslash or within brackets,
// and libraries do not agree on which one is: then each comma counts for each group.
func alternatives(text string) int {
	if strings.ContainsAny(text, `\[`) {
		return power(strings.Count(text, ",")+1, strings.Count(text, "{"))
	}
	var open []int // alternatives of each group
	all := 1
	for i := range len(text) {
		switch last := len(open) - 1; text[i] {
		case '{':
			open = append(open, 1)
		case ',':
			if last >= 0 {
				open[last]++
			}
		case '}':
			if last >= 0 {
				all *= open[last]
				open = open[:last]
			}
		}
		if all > mostAlternatives || len(open) > mostAlternatives {
			return mostAlternatives + 1
		}
	}
	return all
}

func power(base, exponent int) int {
	all := 1
	for range exponent {
		if all *= base; all > mostAlternatives {
			return all
		}
	}
	return all
}
