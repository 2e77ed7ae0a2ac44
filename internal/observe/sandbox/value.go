package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// maxDepth bounds how deep values lie in one another, in both directions.
const maxDepth = 200

// encode gives a decoded object to a script. Items that are null are left out
// of lists, as a list that ends at its first nil would hide what follows.
func (s *state) encode(value any, depth int) lua.LValue {
	if depth == 0 {
		return lua.LNil
	}
	switch v := value.(type) {
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case int:
		return lua.LNumber(v)
	case json.Number:
		return lua.LString(v)
	case []any:
		list := s.lua.CreateTable(len(v), 0)
		for _, item := range v {
			list.Append(s.encode(item, depth-1))
		}
		return list
	case map[string]any:
		table := s.lua.CreateTable(0, len(v))
		for key, item := range v {
			if item != nil {
				table.RawSetString(key, s.encode(item, depth-1))
			}
		}
		return table
	}
	return lua.LNil
}

// What a value takes in the interpreter, in bytes.
const (
	bytesPerValue = 32
	bytesPerTable = 150
	bytesPerKeys  = 600 // of a table that has any
	bytesPerKey   = 120
)

// errGiven is no fault of the script, which others may be well by.
var errGiven = fmt.Errorf("%w before it began: the object takes more than %d MiB of memory there", ErrLimit, maxGiven>>20)

// given reports whether a script may have a value, before it is made.
func given(value any) error {
	if remains(maxGiven, value, maxDepth) < 0 {
		return errGiven
	}
	return nil
}

// remains is what a value leaves of so many bytes; below zero it is not all.
func remains(left int, value any, depth int) int {
	left -= bytesPerValue
	if depth == 0 {
		return left
	}
	switch v := value.(type) {
	case []any:
		left -= bytesPerTable
		for _, item := range v {
			if left < 0 {
				break
			}
			left = remains(left, item, depth-1)
		}
	case map[string]any:
		left -= bytesPerTable + min(len(v), 1)*bytesPerKeys
		for _, item := range v {
			if left < 0 {
				break
			}
			left = remains(left-bytesPerKey, item, depth-1)
		}
	}
	return left
}

// Errors of results that are no value of JSON.
var (
	errCycle = errors.New("the script returned a table that holds itself")
	errDeep  = fmt.Errorf("the script returned tables in more than %d others", maxDepth)
	errKeys  = errors.New("the script returned a table that is neither a list nor a map of texts")
)

// decode takes a result out of the interpreter.
func decode(value lua.LValue) (any, error) {
	d := decoder{within: map[*lua.LTable]bool{}}
	return d.value(value)
}

// decoder knows the tables that it is inside of.
type decoder struct {
	within        map[*lua.LTable]bool
	values, bytes int
}

// maxValues and maxWritten, in bytes of texts, bound a result: one that refers to the
// same table or text many times is large where it is written out.
const (
	maxValues  = 1 << 20
	maxWritten = 64 << 20
)

// text counts a text of the result.
func (d *decoder) text(s lua.LString) (string, error) {
	if d.bytes += len(s); d.bytes > maxWritten {
		return "", fmt.Errorf("%w: it returned more than %d MiB of texts", errBudget, maxWritten>>20)
	}
	return string(s), nil
}

func (d *decoder) value(value lua.LValue) (any, error) {
	if d.values++; d.values > maxValues {
		return nil, fmt.Errorf("%w: it returned more than %d values", errBudget, maxValues)
	}
	switch v := value.(type) {
	case *lua.LNilType:
		return nil, nil
	case lua.LBool:
		return bool(v), nil
	case lua.LString:
		return d.text(v)
	case lua.LNumber:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New("the script returned a number that is none")
		}
		return float64(v), nil
	case *lua.LTable:
		return d.table(v)
	}
	return nil, fmt.Errorf("the script returned a %s", value.Type())
}

func (d *decoder) table(t *lua.LTable) (any, error) {
	if d.within[t] {
		return nil, errCycle
	}
	if len(d.within) >= maxDepth {
		return nil, errDeep
	}
	d.within[t] = true
	defer delete(d.within, t)
	first, _ := t.Next(lua.LNil)
	switch first.(type) {
	case *lua.LNilType:
		return []any{}, nil
	case lua.LNumber:
		return d.list(t)
	case lua.LString:
		return d.fields(t)
	}
	return nil, errKeys
}

// list takes a table whose keys are 1, 2, 3 and so on.
func (d *decoder) list(t *lua.LTable) ([]any, error) {
	out := make([]any, 0, min(t.Len(), 64))
	for key, item := t.Next(lua.LNil); key != lua.LNil; key, item = t.Next(key) {
		if n, ok := key.(lua.LNumber); !ok || n != lua.LNumber(len(out)+1) {
			return nil, errKeys
		}
		v, err := d.value(item)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (d *decoder) fields(t *lua.LTable) (map[string]any, error) {
	out := map[string]any{}
	for at, item := t.Next(lua.LNil); at != lua.LNil; at, item = t.Next(at) {
		name, ok := at.(lua.LString)
		if !ok {
			return nil, errKeys
		}
		key, err := d.text(name)
		if err != nil {
			return nil, err
		}
		if out[key], err = d.value(item); err != nil {
			return nil, err
		}
	}
	return out, nil
}
