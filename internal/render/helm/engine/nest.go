package engine

import (
	"fmt"
	"strings"
)

// nestOf is how deep the blocks of a template stand inside one another. It is
// asked before parsing, which recurses: a chain of else-ifs counts as well.
func nestOf(text string) int {
	var open []int // each block's length of chain
	depth, deepest := 0, 0
	for {
		_, rest, found := strings.Cut(text, "{{")
		if !found {
			return deepest
		}
		text = strings.TrimLeft(strings.TrimPrefix(rest, "-"), " \t\r\n")
		if strings.HasPrefix(text, "/*") {
			_, text, _ = strings.Cut(text, "*/")
			continue
		}
		switch word := firstWord(text); word {
		case "if", "range", "with", "define", "block":
			open = append(open, 1)
			depth++
		case "else":
			if len(open) > 0 {
				open[len(open)-1]++
				depth++
			}
		case "end":
			if len(open) > 0 {
				depth -= open[len(open)-1]
				open = open[:len(open)-1]
			}
		}
		deepest = max(deepest, depth)
	}
}

func firstWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		return text
	}
	return text[:end]
}

// nests refuses a text whose parsing would go too deep.
func nests(text string) error {
	if nestOf(text) > maxNest {
		return &limitError{fmt.Sprintf("more than %d blocks stand inside one another", maxNest)}
	}
	if strings.Count(text, "(") > maxNest && parens(text) > maxNest {
		return &limitError{fmt.Sprintf("more than %d parentheses stand inside one another", maxNest)}
	}
	return nil
}

// parens is how deep parentheses stand inside one another in actions.
func parens(text string) int {
	deepest := 0
	for {
		_, rest, found := strings.Cut(text, "{{")
		if !found {
			return deepest
		}
		action, after, _ := strings.Cut(rest, "}}")
		depth := 0
		for _, c := range []byte(action) {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			}
			deepest = max(deepest, depth)
		}
		text = after
	}
}
