package sandbox

import "strings"

// classEnd returns where the class that begins at p ends.
func (m *matcher) classEnd(p int) int {
	c := m.pattern[p]
	p++
	switch c {
	case '%':
		if p == len(m.pattern) {
			return m.fail(errPattern)
		}
		return p + 1
	case '[':
		return m.setEnd(p)
	}
	return p
}

// setEnd takes a first ] for a member of the set, as Lua does.
func (m *matcher) setEnd(p int) int {
	begin := p
	if strings.HasPrefix(m.pattern[p:], "^") {
		p++
	}
	for first := true; ; first = false {
		if p >= len(m.pattern) {
			return m.fail(errPattern)
		}
		c := m.pattern[p]
		p++
		if c == ']' && !first {
			m.look(p - begin)
			return p
		}
		if c == '%' {
			p++
		}
	}
}

// bytesPerStep is how much of a pattern is looked through in a step.
const bytesPerStep = 64

// look counts the steps that it takes to look through a part of a pattern: a set may
// be as long as a text.
func (m *matcher) look(length int) bool {
	if length >= bytesPerStep {
		if err := m.work(length / bytesPerStep); err != nil {
			m.fail(err)
		}
	}
	return m.err == nil
}

// single reports whether the byte at s is of the class between p and after.
func (m *matcher) single(s, p, after int) bool {
	if s >= len(m.text) {
		return false
	}
	c := m.text[s]
	switch m.pattern[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pattern[p+1])
	case '[':
		return m.look(after-p) && m.inSet(c, p, after)
	}
	return m.pattern[p] == c
}

// inSet reports whether a byte is in the set that begins with [ at p.
func (m *matcher) inSet(c byte, p, after int) bool {
	set := m.pattern[p+1 : after-1]
	found := true
	if strings.HasPrefix(set, "^") {
		found, set = false, set[1:]
	}
	for i := 0; i < len(set); i++ {
		switch {
		case set[i] == '%' && i+1 < len(set):
			i++
			if inClass(c, set[i]) {
				return found
			}
		case i+2 < len(set) && set[i+1] == '-':
			if set[i] <= c && c <= set[i+2] {
				return found
			}
			i += 2
		case set[i] == c:
			return found
		}
	}
	return !found
}

// inClass reports whether a byte is of a class letter; a capital is its opposite.
func inClass(c, class byte) bool {
	member, known := classes(c, class|0x20)
	if !known {
		return c == class
	}
	return member == (class&0x20 != 0)
}

func classes(c, letter byte) (member, known bool) { //nolint:cyclop // a table of letters
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch letter {
	case 'a':
		return lower || upper, true
	case 'c':
		return c < 32 || c == 127, true
	case 'd':
		return digit, true
	case 'l':
		return lower, true
	case 'p':
		return 32 < c && c < 127 && !lower && !upper && !digit, true
	case 's':
		return c == ' ' || 9 <= c && c <= 13, true
	case 'u':
		return upper, true
	case 'w':
		return lower || upper || digit, true
	case 'x':
		return digit || 'a' <= c|0x20 && c|0x20 <= 'f', true
	case 'z':
		return c == 0, true
	}
	return false, false
}
