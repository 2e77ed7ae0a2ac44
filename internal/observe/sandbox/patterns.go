package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// search finds the first match at or after a place of the text.
func (s *state) search(text, pattern string, from int) (m *matcher, start, end int) {
	anchored := strings.HasPrefix(pattern, "^")
	m = &matcher{text: text, pattern: strings.TrimPrefix(pattern, "^"), work: s.meter.work}
	s.check(s.meter.work(len(pattern) / bytesPerStep))
	if isUnclosed(m.pattern) {
		s.lua.RaiseError("%s", errPattern.Error())
	}
	for start = from; start <= len(text); start++ {
		m.captures = m.captures[:0]
		end = m.at(start, 0)
		if m.err != nil {
			s.lua.RaiseError("%s", m.err.Error())
		}
		if end != none || anchored {
			return m, start, end
		}
	}
	return m, start, none
}

// value is a capture as a script sees it. The whole match counts as the first
// capture where there is none.
func (m *matcher) value(i, start, end int) lua.LValue {
	if i >= len(m.captures) {
		return lua.LString(m.text[start:end])
	}
	c := m.captures[i]
	if c.length == capturePosition {
		return lua.LNumber(c.start + 1)
	}
	return lua.LString(m.text[c.start : c.start+max(c.length, 0)])
}

// push gives a script the captures; without any, the whole match.
func (s *state) push(m *matcher, start, end int) int {
	n := max(len(m.captures), 1)
	for i := range n {
		s.lua.Push(m.value(i, start, end))
	}
	return n
}

// from reads the place where a search begins; negative ones count from the end.
func (s *state) from(text string, argument int) int {
	n := s.lua.OptInt(argument, 1)
	if n < 0 {
		n = len(text) + n + 1
	}
	return min(max(n-1, 0), len(text))
}

func (s *state) find(l *lua.LState) int {
	text, pattern := l.CheckString(1), l.CheckString(2)
	from := s.from(text, 3)
	if lua.LVAsBool(l.Get(4)) {
		return s.findPlain(text, pattern, from)
	}
	m, start, end := s.search(text, pattern, from)
	if end == none {
		l.Push(lua.LNil)
		return 1
	}
	l.Push(lua.LNumber(start + 1))
	l.Push(lua.LNumber(end))
	if len(m.captures) == 0 {
		return 2
	}
	return 2 + s.push(m, start, end)
}

func (s *state) findPlain(text, pattern string, from int) int {
	s.check(s.meter.work(len(text) / 64))
	i := strings.Index(text[from:], pattern)
	if i < 0 {
		s.lua.Push(lua.LNil)
		return 1
	}
	s.lua.Push(lua.LNumber(from + i + 1))
	s.lua.Push(lua.LNumber(from + i + len(pattern)))
	return 2
}

func (s *state) match(l *lua.LState) int {
	text, pattern := l.CheckString(1), l.CheckString(2)
	m, start, end := s.search(text, pattern, s.from(text, 3))
	if end == none {
		l.Push(lua.LNil)
		return 1
	}
	return s.push(m, start, end)
}

func (s *state) gmatch(l *lua.LState) int {
	text, pattern := l.CheckString(1), l.CheckString(2)
	s.check(s.meter.charge(closureBytes))
	at := 0
	l.Push(l.NewFunction(func(*lua.LState) int {
		if at > len(text) {
			return 0
		}
		m, start, end := s.search(text, pattern, at)
		if end == none {
			at = len(text) + 1
			return 0
		}
		if at = end; end == start {
			at++
		}
		// What is anchored is found once: the place to go on from is no beginning.
		if strings.HasPrefix(pattern, "^") {
			at = len(text) + 1
		}
		return s.push(m, start, end)
	}))
	return 1
}

func (s *state) gsub(l *lua.LState) int {
	text, pattern, by := l.CheckString(1), l.CheckString(2), l.CheckAny(3)
	limit := l.OptInt(4, len(text)+1)
	var out strings.Builder
	count, at := 0, 0
	for at <= len(text) && count < limit {
		m, start, end := s.search(text, pattern, at)
		if end == none {
			break
		}
		count++
		out.WriteString(text[at:start])
		s.replacement(&out, m, start, end, by)
		at = end
		if end == start {
			if start < len(text) {
				out.WriteByte(text[start])
			}
			at++
		}
		s.check(s.meter.work(1))
		if out.Len() > maxText || strings.HasPrefix(pattern, "^") {
			break
		}
	}
	if at < len(text) {
		out.WriteString(text[at:])
	}
	s.check(s.meter.text(out.Len()))
	l.Push(lua.LString(out.String()))
	l.Push(lua.LNumber(count))
	return 2
}

// replacement writes what stands for a match: a text with %1 and the like,
// or what a table or function says; where that is nothing, the match stays.
func (s *state) replacement(out *strings.Builder, m *matcher, start, end int, by lua.LValue) {
	value := lua.LNil
	switch by := by.(type) {
	case lua.LString, lua.LNumber:
		s.expand(out, m, start, end, lua.LVAsString(by))
		return
	case *lua.LTable:
		value = s.lua.GetTable(by, m.value(0, start, end))
	case *lua.LFunction:
		s.lua.Push(by)
		s.lua.Call(s.push(m, start, end), 1)
		value = s.lua.Get(-1)
		s.lua.Pop(1)
	default:
		s.lua.ArgError(3, "the replacement is neither a text, a table nor a function")
	}
	switch {
	case !lua.LVAsBool(value):
		out.WriteString(m.text[start:end])
	case lua.LVCanConvToString(value):
		out.WriteString(lua.LVAsString(value))
	default:
		s.lua.RaiseError("the replacement is a %s", value.Type())
	}
}

func (s *state) expand(out *strings.Builder, m *matcher, start, end int, by string) {
	for i := 0; i < len(by) && out.Len() <= maxText; i++ {
		if by[i] != '%' || i+1 == len(by) {
			out.WriteByte(by[i])
			continue
		}
		i++
		switch c := by[i]; {
		case c == '0':
			out.WriteString(m.text[start:end])
		case c >= '1' && c <= '9':
			n := int(c - '1')
			if n > 0 && n >= len(m.captures) {
				s.lua.RaiseError("the replacement refers to a capture that is not there")
			}
			out.WriteString(lua.LVAsString(m.value(n, start, end)))
		default:
			out.WriteByte(c)
		}
	}
}
