package bounded

import (
	"fmt"
	"text/template/parse"
)

const (
	// MostNest is how many blocks of a template may stand inside one another,
	// and how many parentheses: parsing one recurses for each, and a stack that
	// is used up ends the process. A link of a chain of else-ifs is a block.
	MostNest = 500
	// PerPart is how many bytes of memory a part of a template takes, at most.
	PerPart = 256

	// mostLookups bounds the product of a text's variables and the uses of them:
	// each use looks through those that there are, which nothing stops.
	mostLookups = 100_000_000
)

// Template is a parsed text of text/template, and the templates that it defines.
type Template struct {
	Trees map[string]*parse.Tree
	// Parts is the number of words, signs, texts and actions that it has, no
	// less than there are nodes.
	Parts int
}

// ParseTemplate parses what somebody else wrote, of up to so many parts, which
// may call these functions and those of text/template. What takes too much is
// a *Costly.
func ParseTemplate(name, text string, most int, funcs ...map[string]any) (*Template, error) {
	parts, err := admit(text, most)
	if err != nil {
		return nil, err
	}
	trees, err := parse.Parse(name, text, "", "", append(funcs, builtins)...)
	if err != nil {
		return nil, err
	}
	return &Template{Trees: trees, Parts: parts}, nil
}

// builtins are the names that text/template knows by itself.
var builtins = func() map[string]any {
	m := map[string]any{}
	for _, name := range []string{
		"and", "call", "html", "index", "slice", "js", "len", "not", "or", "print", "printf", "println",
		"urlquery", "eq", "ge", "gt", "le", "lt", "ne",
	} {
		m[name] = true
	}
	return m
}()

// admit is the number of a text's parts, if it may be parsed.
func admit(text string, most int) (int, error) {
	s := actions{text: text, most: most}
	for s.action() {
		if err := s.tooMuch(); err != nil {
			return 0, err
		}
	}
	return s.parts, s.tooMuch()
}

func (s *actions) tooMuch() error {
	const shorter = "use less of them, or several templates"
	switch {
	case s.nest > MostNest:
		return &Costly{fmt.Sprintf("more than %d blocks of a template stand inside one another", MostNest), shorter}
	case s.parens > MostNest:
		return &Costly{fmt.Sprintf("more than %d parentheses of a template stand inside one another", MostNest), shorter}
	case s.parts > s.most:
		return &Costly{fmt.Sprintf("a template has more than %d words and signs", s.most), "split it"}
	case s.variables*s.declared > mostLookups:
		return &Costly{"a template has too many variables, and uses them too often", "split it"}
	default:
		return nil
	}
}
