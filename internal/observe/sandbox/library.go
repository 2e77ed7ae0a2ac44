package sandbox

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// What is taken from the interpreter's own libraries. All that compiles,
// reads files, looks into other environments or makes coroutines stays out.
var (
	baseNames   = []string{"assert", "error", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget", "select", "tonumber", "type", "unpack"}
	tableNames  = []string{"getn", "maxn", "remove"}
	clockNames  = []string{"clock", "difftime", "time"}
	stringNames = []string{"byte", "len", "sub"}
)

// addLibraries fills what environments begin with.
func (s *state) addLibraries(open bool) {
	base := s.opened(lua.OpenBase, "_G")
	s.own(base, map[string]lua.LGFunction{
		"collectgarbage": nothing, "print": nothing, "require": s.require,
		"rawset": s.rawSet, "setmetatable": s.setMetatable(goFunction(base, "setmetatable")),
		"pcall": s.protected(goFunction(base, "pcall")), "xpcall": s.protected(goFunction(base, "xpcall")),
		"tostring": s.charged(goFunction(base, "tostring")),
	})
	own := []string{"collectgarbage", "pcall", "print", "rawset", "require", "setmetatable", "tostring", "xpcall"}
	for _, name := range slices.Concat(baseNames, own) {
		s.globals = append(s.globals, global{name, base.RawGetString(name)})
	}
	s.globals = append(s.globals, global{"_VERSION", lua.LString(lua.LuaVersion)})
	for name, f := range map[string]lua.LGFunction{callConcat: s.concat, callStore: s.store, callTable: s.table, callClosure: s.closure} {
		s.globals = append(s.globals, global{name, s.lua.NewFunction(f)})
	}
	s.add("table", s.tables())
	s.add("os", s.clock())
	if open {
		s.add("string", s.texts())
		s.add("math", s.opened(lua.OpenMath, lua.MathLibName))
	}
}

func (s *state) add(name string, library *lua.LTable) {
	s.libraries[library] = true
	s.globals = append(s.globals, global{name, library})
}

// opened runs a library's own opener, and returns what it made.
func (s *state) opened(open lua.LGFunction, name string) *lua.LTable {
	s.lua.Push(s.lua.NewFunction(open))
	s.lua.Push(lua.LString(name))
	s.lua.Call(1, 0)
	table, ok := s.lua.GetGlobal(name).(*lua.LTable)
	if !ok {
		return s.lua.NewTable()
	}
	return table
}

// own replaces functions of a library.
func (s *state) own(library *lua.LTable, functions map[string]lua.LGFunction) {
	for name, f := range functions {
		library.RawSetString(name, s.lua.NewFunction(f))
	}
}

// only leaves the named functions in a library.
func only(library *lua.LTable, names ...[]string) {
	keep := slices.Concat(names...)
	var drop []string
	library.ForEach(func(key, _ lua.LValue) {
		if name := key.String(); !slices.Contains(keep, name) {
			drop = append(drop, name)
		}
	})
	for _, name := range drop {
		library.RawSetString(name, lua.LNil)
	}
}

// goFunction is a library's own function.
func goFunction(library *lua.LTable, name string) lua.LGFunction {
	if f, ok := library.RawGetString(name).(*lua.LFunction); ok {
		return f.GFunction
	}
	return nothing
}

func nothing(*lua.LState) int { return 0 }

// check stops a script whose meter says so.
func (s *state) check(err error) {
	if err != nil {
		s.lua.RaiseError("%s", err.Error())
	}
}

// charged charges the texts that a function returns. They are no longer than
// what it was given, so that charging afterwards is early enough.
func (s *state) charged(f lua.LGFunction) lua.LGFunction {
	return func(l *lua.LState) int {
		n := f(l)
		for i := 1; i <= n; i++ {
			if text, ok := l.Get(-i).(lua.LString); ok {
				s.check(s.meter.text(len(text)))
			}
		}
		return n
	}
}

// errorBytes is what an error costs that a script catches: the interpreter
// writes down the whole stack.
const errorBytes = 32 << 10

// maxProtected bounds how deep protected calls lie in one another: each
// doubles what a recursion can try.
const maxProtected = 16

// protected charges the errors that a script catches.
func (s *state) protected(f lua.LGFunction) lua.LGFunction {
	f = s.charged(f)
	return func(l *lua.LState) int {
		if s.protection++; s.protection > maxProtected {
			l.RaiseError("protected calls are nested too deep")
		}
		n := f(l)
		s.protection--
		if l.Get(-n) == lua.LFalse {
			s.check(s.meter.work(lookAtClock))
			s.check(s.meter.charge(errorBytes))
		}
		return n
	}
}

// require finds the libraries that are there anyway.
func (s *state) require(l *lua.LState) int {
	name := l.CheckString(1)
	for _, g := range s.globals {
		if library, ok := g.value.(*lua.LTable); ok && g.name == name {
			l.Push(library)
			return 1
		}
	}
	l.RaiseError("there is no library %q", name)
	return 0
}

func (s *state) clock() *lua.LTable {
	clock := s.opened(lua.OpenOs, lua.OsLibName)
	date := goFunction(clock, "date")
	only(clock, clockNames)
	s.own(clock, map[string]lua.LGFunction{"date": func(l *lua.LState) int {
		if len(l.OptString(1, "")) > maxDateFormat {
			l.ArgError(1, "the format is too long")
		}
		return date(l)
	}})
	return clock
}

// maxDateFormat bounds the format of os.date, in bytes.
const maxDateFormat = 256
