package glob

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrAlternatives is of a pattern that stands for more texts than anybody is held against.
var ErrAlternatives = errors.New("its braces stand for more than 512 patterns, or 16 KiB of them: make several of it")

const (
	maxAlternatives     = 512
	maxAlternativeBytes = 16 << 10
)

// Alternatives are the patterns without braces that a readable one with braces stands for.
func Alternatives(text string) ([]string, error) {
	e := &expansion{text: text}
	return e.sequence(0)
}

// expansion reads braces as reader does: those that stay open end where the pattern ends.
type expansion struct {
	text string
	at   int
}

// sequence is what follows, up to the end of the alternative that it is in.
func (e *expansion) sequence(depth int) ([]string, error) {
	all := []string{""}
	for e.at < len(e.text) {
		c := e.text[e.at]
		if depth > 0 && (c == ',' || c == '}') {
			break
		}
		next := []string{""}
		var err error
		if c == '{' {
			next, err = e.choice(depth + 1)
		} else {
			next[0] = e.run(depth)
		}
		if err != nil {
			return nil, err
		}
		if all, err = each(all, next); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// choice is what stands in braces.
func (e *expansion) choice(depth int) ([]string, error) {
	var all []string
	for {
		e.at++ // the brace, or the comma
		some, err := e.sequence(depth)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); len(all) > maxAlternatives {
			return nil, ErrAlternatives
		}
		if e.at >= len(e.text) {
			return all, nil
		}
		if e.text[e.at] == '}' {
			e.at++
			return all, nil
		}
	}
}

// run is all up to the next sign that braces have.
func (e *expansion) run(depth int) string {
	from := e.at
	for e.at < len(e.text) {
		c := e.text[e.at]
		if c == '{' || depth > 0 && (c == ',' || c == '}') {
			break
		}
		e.at += width(e.text[e.at:])
	}
	return e.text[from:e.at]
}

// width is how many bytes the first sign has, with what belongs to it.
func width(text string) int {
	switch {
	case text[0] == '\\' && len(text) > 1:
		return 2
	case text[0] == '[':
		return class(text)
	}
	return 1
}

// class is how long "[abc]" is.
func class(text string) int {
	at := 1
	if strings.HasPrefix(text[at:], "!") {
		at++
	}
	if end := span(text[at:]); end > 0 {
		return at + end
	}
	for at < len(text) && text[at] != ']' {
		if text[at] == '\\' {
			at++
		}
		at++
	}
	return min(at+1, len(text))
}

// span is how long "a-z]" is; 0 where there is none.
func span(text string) int {
	end := 0
	for i := range 4 {
		c, width := utf8.DecodeRuneInString(text[end:])
		if width == 0 || i == 1 && c != '-' {
			return 0
		}
		end += width
	}
	return end
}

// each is every one of the first with every one of the second behind it.
func each(first, second []string) ([]string, error) {
	if len(first)*len(second) > maxAlternatives {
		return nil, ErrAlternatives
	}
	all, bytes := make([]string, 0, len(first)*len(second)), 0
	for _, a := range first {
		for _, b := range second {
			if bytes += len(a) + len(b); bytes > maxAlternativeBytes {
				return nil, ErrAlternatives
			}
			all = append(all, a+b)
		}
	}
	return all, nil
}
