package sandbox

import (
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// What things take in memory, in bytes, as far as it has been measured: a
// table's first field makes room for some, a number of its own may keep a
// block of numbers alive.
const (
	tableBytes   = 2560
	fieldBytes   = 192
	itemBytes    = 64
	numberBytes  = 256
	gapBytes     = 16
	closureBytes = 1024
)

// concat joins values from the right, as `..` does.
func (s *state) concat(l *lua.LState) int {
	n := l.GetTop()
	if length, plain := s.lengths(n); plain {
		s.check(s.meter.text(length))
		joined := make([]byte, 0, length)
		for i := 1; i <= n; i++ {
			joined = append(joined, lua.LVAsString(l.Get(i))...)
		}
		l.Push(lua.LString(joined))
		return 1
	}
	right := l.Get(n)
	for i := n - 1; i >= 1; i-- {
		right = s.join(l.Get(i), right)
	}
	l.Push(right)
	return 1
}

// lengths sums up the values on the stack; plain is false when one of them is
// neither a text nor a number.
func (s *state) lengths(n int) (length int, plain bool) {
	for i := 1; i <= n; i++ {
		v := s.lua.Get(i)
		if !lua.LVCanConvToString(v) {
			return 0, false
		}
		if text, ok := v.(lua.LString); ok {
			length += len(text)
			continue
		}
		length += len(lua.LVAsString(v))
	}
	return length, true
}

func (s *state) join(left, right lua.LValue) lua.LValue {
	if lua.LVCanConvToString(left) && lua.LVCanConvToString(right) {
		a, b := lua.LVAsString(left), lua.LVAsString(right)
		s.check(s.meter.text(len(a) + len(b)))
		return lua.LString(a + b)
	}
	for _, v := range []lua.LValue{left, right} {
		if f := s.lua.GetMetaField(v, "__concat"); f != lua.LNil {
			s.lua.Push(f)
			s.lua.Push(left)
			s.lua.Push(right)
			s.lua.Call(2, 1)
			result := s.lua.Get(-1)
			s.lua.Pop(1)
			return result
		}
	}
	s.lua.RaiseError("cannot join a %s and a %s", left.Type(), right.Type())
	return lua.LNil
}

// store sets a field, as an assignment does.
func (s *state) store(l *lua.LState) int {
	target, key, value := l.Get(1), l.Get(2), l.Get(3)
	if table, ok := target.(*lua.LTable); ok {
		s.touch(table)
		s.grow(table, key, value)
	}
	l.SetTable(target, key, value)
	return 0
}

func (s *state) touch(t *lua.LTable) {
	if s.libraries[t] {
		s.spoilt = true
	}
}

// grow charges what a table needs for one more value.
func (s *state) grow(t *lua.LTable, key, value lua.LValue) {
	cost := fieldBytes
	if n, ok := key.(lua.LNumber); ok {
		cost = fieldBytes + s.gap(t, n)
	}
	if value.Type() == lua.LTNumber {
		cost += numberBytes
	}
	s.check(s.meter.charge(cost))
}

// gap is what lies between a list's end and an index far behind it: the
// interpreter fills that with nil.
func (s *state) gap(t *lua.LTable, index lua.LNumber) int {
	if index < 1 || index >= lua.LNumber(lua.MaxArrayIndex) {
		return 0
	}
	return max(0, int(index)-t.MaxN()) * gapBytes
}

// table charges a constructor, of which the number of fields is known.
func (s *state) table(l *lua.LState) int {
	t, fields := l.CheckTable(1), l.CheckInt(2)
	s.check(s.meter.charge(tableBytes + fields*fieldBytes + t.Len()*itemBytes))
	l.Push(t)
	return 1
}

// closure charges a function that a script makes, and returns it.
func (s *state) closure(l *lua.LState) int {
	s.check(s.meter.charge(closureBytes))
	l.Push(l.Get(1))
	return 1
}

func (s *state) rawSet(l *lua.LState) int {
	t, key, value := l.CheckTable(1), l.CheckAny(2), l.CheckAny(3)
	if key == lua.LNil {
		l.ArgError(2, "the key is nil")
	}
	s.touch(t)
	s.grow(t, key, value)
	t.RawSet(key, value)
	l.SetTop(1)
	return 1
}

func (s *state) setMetatable(f lua.LGFunction) lua.LGFunction {
	return func(l *lua.LState) int {
		s.touch(l.CheckTable(1))
		return f(l)
	}
}

func (s *state) tables() *lua.LTable {
	tables := s.opened(lua.OpenTable, lua.TabLibName)
	insert, concat, sort := goFunction(tables, "insert"), goFunction(tables, "concat"), goFunction(tables, "sort")
	only(tables, tableNames)
	s.own(tables, map[string]lua.LGFunction{
		"insert": func(l *lua.LState) int {
			t, key := l.CheckTable(1), lua.LValue(lua.LNumber(1))
			if l.GetTop() > 2 {
				key = lua.LNumber(l.CheckInt(2))
				s.check(s.meter.work(t.Len() / 64))
			}
			s.touch(t)
			s.grow(t, key, l.Get(-1))
			return insert(l)
		},
		"concat": func(l *lua.LState) int {
			s.chargeConcat(l.CheckTable(1), len(l.OptString(2, "")))
			return concat(l)
		},
		"sort": func(l *lua.LState) int {
			n := l.CheckTable(1).Len()
			s.check(s.meter.work(n * bits.Len(uint(n)) / 4))
			return sort(l)
		},
	})
	return tables
}

// chargeConcat charges what the items of a list have together.
func (s *state) chargeConcat(t *lua.LTable, separator int) {
	n, length := t.Len(), 0
	s.check(s.meter.work(n / 4))
	for i := 1; i <= n; i++ {
		switch v := t.RawGetInt(i).(type) {
		case lua.LString:
			length += len(v)
		default:
			length += itemBytes
		}
	}
	s.check(s.meter.text(length + n*separator))
}
