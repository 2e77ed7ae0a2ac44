package bounded

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// actions goes through the actions of a template as the lexer of
// text/template/parse does, which nobody else can call. Where that one finds an
// error it stops, and so does its parser: going on can only find more.
type actions struct {
	text string
	most int // parts to go through

	chains []int // of each open block, its links: an if and its else-ifs
	depth  int   // blocks and links that are open
	nest   int   // the most of them
	parens int   // the most inside one another in an action
	parts  int

	variables int // uses and declarations
	declared  int
}

// Weights of what takes more than a word does.
const (
	ofAction = 3 // its node, its pipeline and the first command
	ofText   = 1 // before an action
	ofParens = 3 // as an action
)

// action passes the next action or comment; false after the last.
func (s *actions) action() bool {
	_, rest, found := strings.Cut(s.text, "{{")
	if !found {
		return false
	}
	s.text = rest
	if len(rest) > 1 && rest[0] == '-' && isSpace(rest[1]) {
		s.text = rest[2:]
	}
	s.parts += ofText
	if strings.HasPrefix(s.text, "/*") {
		return s.comment()
	}
	s.parts += ofAction
	s.block(s.keyword())
	return s.words()
}

// comment passes one, which has to end with its action.
func (s *actions) comment() bool {
	_, rest, found := strings.Cut(s.text[len("/*"):], "*/")
	s.text = rest
	return found && s.end()
}

// end passes the end of an action, if here is one.
func (s *actions) end() bool {
	rest := s.text
	if len(rest) > 1 && isSpace(rest[0]) && rest[1] == '-' {
		rest = rest[2:]
	}
	if !strings.HasPrefix(rest, "}}") {
		return false
	}
	s.text = rest[len("}}"):]
	return true
}

// keyword passes the word that an action starts with. An else that starts
// another block is that and the block's: "else if".
func (s *actions) keyword() string {
	first := s.word()
	if first != "else" {
		return first
	}
	switch second := s.word(); second {
	case "if", "with":
		return "else if"
	default:
		return first
	}
}

// word passes spaces, and the word after them, if one is there.
func (s *actions) word() string {
	rest := strings.TrimLeft(s.text, " \t\r\n")
	n := strings.IndexFunc(rest, func(r rune) bool { return !isOfWord(r) })
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return "" // the spaces stay: they may be those of " -}}"
	}
	s.text = rest[n:]
	s.parts++
	return rest[:n]
}

// block opens and closes blocks.
func (s *actions) block(keyword string) {
	switch keyword {
	case "if", "range", "with", "define", "block":
		s.chains = append(s.chains, 1)
		s.depth++
	case "else if":
		if len(s.chains) > 0 {
			s.chains[len(s.chains)-1]++
			s.depth++
		}
	case "end":
		if last := len(s.chains) - 1; last >= 0 {
			s.depth -= s.chains[last]
			s.chains = s.chains[:last]
		}
	}
	s.nest = max(s.nest, s.depth)
}

// words passes the rest of an action; false when it does not end.
func (s *actions) words() bool {
	open := 0
	for s.text != "" && s.parts <= s.most {
		if s.end() {
			return true
		}
		c := s.text[0]
		switch c {
		case '(':
			open++
			s.parens = max(s.parens, open)
			s.parts += ofParens
		case ')':
			open--
		case '$':
			s.variables++
		case '=':
			s.declared++
		}
		if !s.pass(c) {
			return false
		}
	}
	return false
}

// pass passes a quoted text, a word or a sign; false where a quote does not end.
func (s *actions) pass(c byte) bool {
	switch {
	case isSpace(c):
		s.text = s.text[1:]
		return true
	case c == '"' || c == '\'' || c == '`':
		s.parts++
		return s.quoted(c)
	case s.word() != "":
		return true
	default:
		_, size := utf8.DecodeRuneInString(s.text)
		s.text = s.text[size:]
		s.parts++
		return true
	}
}

// quoted passes a quoted text. In a raw one a backslash is itself, and lines may end.
func (s *actions) quoted(quote byte) bool {
	for i := 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == quote:
			s.text = s.text[i+1:]
			return true
		case quote == '`':
		case c == '\n':
			return false
		case c == '\\':
			i++
			if i < len(s.text) && s.text[i] == '\n' {
				return false
			}
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isOfWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
