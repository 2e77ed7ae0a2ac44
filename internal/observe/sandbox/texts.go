package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// texts is the string library. What it does with patterns is in patterns.go.
func (s *state) texts() *lua.LTable {
	library := s.opened(lua.OpenString, lua.StringLibName)
	format := goFunction(library, "format")
	sized := map[string]lua.LGFunction{}
	for _, name := range []string{"char", "lower", "reverse", "upper"} {
		sized[name] = s.charged(goFunction(library, name))
	}
	// A text's methods are looked up here, too.
	only(library, stringNames, []string{"__index"})
	s.own(library, sized)
	s.own(library, map[string]lua.LGFunction{
		"rep": s.repeat, "find": s.find, "match": s.match, "gmatch": s.gmatch, "gsub": s.gsub,
		"format": func(l *lua.LState) int {
			s.checkFormat(l)
			return format(l)
		},
	})
	return library
}

func (s *state) repeat(l *lua.LState) int {
	text, n := l.CheckString(1), max(l.CheckInt(2), 0)
	if len(text) > 0 && n > maxText/len(text) {
		s.check(s.meter.text(maxText + 1))
	}
	s.check(s.meter.text(n * len(text)))
	l.Push(lua.LString(strings.Repeat(text, n)))
	return 1
}

// Bounds of what one directive of a format makes of a number, and the
// directives that there are.
const (
	directiveBytes = 512
	directives     = "cdiouxXeEfgGqs"
)

// checkFormat refuses widths of more than two digits, as Lua itself does, and
// what only Go's formats know.
func (s *state) checkFormat(l *lua.LState) {
	format := l.CheckString(1)
	length, rest := len(format), format
	for {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			break
		}
		if rest = after; strings.HasPrefix(rest, "%") {
			rest = rest[1:]
			continue
		}
		spec := strings.TrimLeft(rest, "-+ #0")
		width := digits(spec)
		spec = spec[width:]
		precision := 0
		if strings.HasPrefix(spec, ".") {
			precision = digits(spec[1:])
			spec = spec[1+precision:]
		}
		if width > 2 || precision > 2 || spec == "" || !strings.Contains(directives, spec[:1]) {
			l.ArgError(1, "the format has a directive that is not known")
		}
		rest, length = spec[1:], length+directiveBytes
	}
	for i := 2; i <= l.GetTop(); i++ {
		if text, ok := l.Get(i).(lua.LString); ok {
			length += 4 * len(text) // %q may write four bytes for one
		}
	}
	s.check(s.meter.text(length))
}

func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}
