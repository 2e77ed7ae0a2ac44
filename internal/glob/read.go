package glob

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// reader translates a pattern to a regular expression, and keeps the parts between stars for one that has nothing else.
type reader struct {
	text []rune
	// star and single are what "*" and "?" are in an expression.
	star, single string
	depth        int
	out          strings.Builder
	parts        []string
	// plain: there was nothing but text and stars that cross everything.
	plain        bool
	starInBraces bool
}

func newReader(text string, separators []rune) *reader {
	r := &reader{text: []rune(text), star: ".*", single: ".", parts: []string{""}, plain: true}
	if len(separators) == 0 {
		return r
	}
	var class strings.Builder
	for _, c := range separators {
		fmt.Fprintf(&class, `\x{%x}`, c)
	}
	r.single = "[^" + class.String() + "]"
	r.star = r.single + "*"
	return r
}

func (r *reader) next() error {
	c := r.take()
	switch {
	case c == '*':
		r.stars()
	case c == '?':
		r.special(r.single)
	case c == '{':
		r.depth++
		r.special("(?:")
	case c == ',' && r.depth > 0:
		r.special("|")
	case c == '}' && r.depth > 0:
		r.depth--
		r.special(")")
	case c == '[':
		return r.class()
	case c == '\\' && len(r.text) == 0:
	case c == '\\':
		r.literal(r.take())
	default:
		r.literal(c)
	}
	return nil
}

func (r *reader) take() rune {
	c := r.text[0]
	r.text = r.text[1:]
	return c
}

// stars reads all that follow one another.
func (r *reader) stars() {
	n := 1
	for len(r.text) > 0 && r.text[0] == '*' {
		r.take()
		n++
	}
	r.starInBraces = r.starInBraces || r.depth > 0
	if n == 1 && r.star != ".*" {
		r.special(r.star)
		return
	}
	r.out.WriteString(".*")
	r.parts = append(r.parts, "")
}

func (r *reader) special(expression string) {
	r.plain = false
	r.out.WriteString(expression)
}

func (r *reader) literal(c rune) {
	r.parts[len(r.parts)-1] += string(c)
	r.out.WriteString(regexp.QuoteMeta(string(c)))
}

var errClass = errors.New("a class is [abc], [!abc], [a-z] or [!a-z]")

// class reads what follows "[".
func (r *reader) class() error {
	r.special("[")
	if len(r.text) > 0 && r.text[0] == '!' {
		r.take()
		r.out.WriteString("^")
	}
	if len(r.text) > 1 && r.text[1] == '-' {
		return r.span()
	}
	empty := true
	for len(r.text) > 0 {
		c := r.take()
		if c == ']' && empty {
			return errClass
		}
		if c == ']' {
			r.out.WriteString("]")
			return nil
		}
		if c == '\\' && len(r.text) > 0 {
			c = r.take()
		}
		fmt.Fprintf(&r.out, `\x{%x}`, c)
		empty = false
	}
	return errClass
}

// span reads the rest of "[a-z]".
func (r *reader) span() error {
	if len(r.text) < 4 || r.text[3] != ']' || r.text[2] < r.text[0] {
		return errClass
	}
	fmt.Fprintf(&r.out, `\x{%x}-\x{%x}]`, r.text[0], r.text[2])
	r.text = r.text[4:]
	return nil
}

// matcher is what was read. Braces that are not closed end where the pattern ends.
func (r *reader) matcher() (matcher, error) {
	if r.plain && len(r.parts) == 1 {
		return exact(r.parts[0]), nil
	}
	if r.plain {
		return wild(r.parts), nil
	}
	return regexp.Compile(`(?s)\A(?:` + r.out.String() + strings.Repeat(")", r.depth) + `)\z`)
}
