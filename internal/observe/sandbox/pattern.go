package sandbox

import (
	"errors"
	"strings"
)

// Bounds of patterns.
const (
	maxCaptures     = 32
	maxPatternDepth = 200
)

// Lengths of captures that are none yet.
const (
	captureOpen     = -1
	capturePosition = -2
)

var errPattern = errors.New("malformed pattern")

type capture struct{ start, length int }

// matcher matches one of Lua's patterns (reference manual 5.1, section 5.4.1).
// Each step is counted, since a pattern with several repetitions may try very
// many ways.
type matcher struct {
	text, pattern string
	captures      []capture
	depth         int
	work          func(steps int) error
	err           error
}

// none is the result of a match that failed.
const none = -1

func (m *matcher) fail(err error) int {
	if m.err == nil {
		m.err = err
	}
	return none
}

// at tries to match the pattern from p at a place of the text, and returns
// where the match ends.
func (m *matcher) at(s, p int) int {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth > maxPatternDepth {
		return m.fail(errors.New("the pattern is nested too deep"))
	}
	for m.err == nil {
		if err := m.work(1); err != nil {
			return m.fail(err)
		}
		if p == len(m.pattern) {
			return s
		}
		end, next, done := m.special(s, p)
		if done {
			return end
		}
		if next >= 0 {
			s, p = end, next
			if s == none {
				return none
			}
			continue
		}
		if end, s, p = m.item(s, p); p == 0 {
			return end
		}
	}
	return none
}

// isUnclosed reports whether a pattern opens a capture that it does not close.
func isUnclosed(pattern string) bool {
	open := 0
	for p := 0; p < len(pattern); p++ {
		switch pattern[p] {
		case '%':
			if p++; strings.HasPrefix(pattern[min(p, len(pattern)):], "b") {
				p += 2 // its two letters are no captures
			}
		case '[':
			p = setEnd(pattern, p)
		case '(':
			open++
		case ')':
			open--
		}
	}
	return open > 0
}

// setEnd is the place of the bracket that closes a set.
func setEnd(pattern string, p int) int {
	if p++; strings.HasPrefix(pattern[min(p, len(pattern)):], "^") {
		p++
	}
	for first := p; p < len(pattern); p++ {
		switch {
		case pattern[p] == '%':
			p++
		case pattern[p] == ']' && p > first:
			return p
		}
	}
	return p
}

// special takes captures, anchors, %b, %f and back references. With done, end
// is the result; with next, the match goes on there from end.
func (m *matcher) special(s, p int) (end, next int, done bool) {
	switch c := m.pattern[p]; {
	case c == '(' && strings.HasPrefix(m.pattern[p+1:], ")"):
		return m.open(s, p+2, capturePosition), 0, true
	case c == '(':
		return m.open(s, p+1, captureOpen), 0, true
	case c == ')':
		return m.close(s, p+1), 0, true
	case c == '$' && p+1 == len(m.pattern):
		if s == len(m.text) {
			return s, 0, true
		}
		return none, 0, true
	case c == '%' && p+1 < len(m.pattern):
		switch d := m.pattern[p+1]; {
		case d == 'b':
			return m.balance(s, p+2), p + 4, false
		case d == 'f':
			return m.frontier(s, p+2)
		case d >= '0' && d <= '9':
			return m.back(s, int(d-'1')), p + 2, false
		}
	}
	return 0, none, false
}

// item takes one class with its repetition. With an index of 0 the result is
// end; otherwise the match goes on at s and p.
func (m *matcher) item(s, p int) (end, nextS, nextP int) {
	after := m.classEnd(p)
	if m.err != nil {
		return none, 0, 0
	}
	repetition := byte(0)
	if after < len(m.pattern) {
		repetition = m.pattern[after]
	}
	switch repetition {
	case '?':
		if m.single(s, p, after) {
			if end := m.at(s+1, after+1); end != none || m.err != nil {
				return end, 0, 0
			}
		}
		return 0, s, after + 1
	case '*':
		return m.most(s, p, after), 0, 0
	case '+':
		if !m.single(s, p, after) {
			return none, 0, 0
		}
		return m.most(s+1, p, after), 0, 0
	case '-':
		return m.least(s, p, after), 0, 0
	}
	if !m.single(s, p, after) {
		return none, 0, 0
	}
	return 0, s + 1, after
}

func (m *matcher) most(s, p, after int) int {
	n := 0
	for m.single(s+n, p, after) {
		n++
	}
	if err := m.work(n / 4); err != nil {
		return m.fail(err)
	}
	for ; n >= 0; n-- {
		if end := m.at(s+n, after+1); end != none || m.err != nil {
			return end
		}
	}
	return none
}

func (m *matcher) least(s, p, after int) int {
	for {
		if end := m.at(s, after+1); end != none || m.err != nil {
			return end
		}
		if !m.single(s, p, after) {
			return none
		}
		s++
	}
}

func (m *matcher) open(s, p, length int) int {
	if len(m.captures) >= maxCaptures {
		return m.fail(errors.New("the pattern has too many captures"))
	}
	m.captures = append(m.captures, capture{s, length})
	end := m.at(s, p)
	if end == none {
		m.captures = m.captures[:len(m.captures)-1]
	}
	return end
}

func (m *matcher) close(s, p int) int {
	for i := len(m.captures) - 1; i >= 0; i-- {
		if m.captures[i].length != captureOpen {
			continue
		}
		m.captures[i].length = s - m.captures[i].start
		end := m.at(s, p)
		if end == none {
			m.captures[i].length = captureOpen
		}
		return end
	}
	return m.fail(errPattern)
}

func (m *matcher) back(s, i int) int {
	if i < 0 || i >= len(m.captures) || m.captures[i].length < 0 {
		return m.fail(errors.New("the pattern refers to a capture that is not there"))
	}
	c := m.captures[i]
	if strings.HasPrefix(m.text[s:], m.text[c.start:c.start+c.length]) {
		return s + c.length
	}
	return none
}

func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pattern) {
		return m.fail(errPattern)
	}
	if s >= len(m.text) || m.text[s] != m.pattern[p] {
		return none
	}
	level := 1
	for i := s + 1; i < len(m.text); i++ {
		switch m.text[i] {
		case m.pattern[p+1]:
			if level--; level == 0 {
				return i + 1
			}
		case m.pattern[p]:
			level++
		}
	}
	if err := m.work((len(m.text) - s) / 4); err != nil {
		return m.fail(err)
	}
	return none
}

func (m *matcher) frontier(s, p int) (end, next int, done bool) {
	if p >= len(m.pattern) || m.pattern[p] != '[' {
		return m.fail(errPattern), 0, true
	}
	after := m.classEnd(p)
	if m.err != nil {
		return none, 0, true
	}
	var before, here byte
	if s > 0 {
		before = m.text[s-1]
	}
	if s < len(m.text) {
		here = m.text[s]
	}
	if m.inSet(before, p, after) || !m.inSet(here, p, after) {
		return none, 0, true
	}
	return s, after, false
}
