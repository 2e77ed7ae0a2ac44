package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

// Bounds of the interpreter's stacks. A value on the stack has 16 bytes.
const (
	callDepth     = 200
	stackSize     = 1 << 10
	maxStackSize  = 1 << 16
	stackGrowStep = 1 << 10
)

// keepBelow is how much a run may have allocated for its state to be used again.
const keepBelow = 1 << 20

// state is an interpreter with its libraries. What a script can change of it
// is made anew for each run; a state that a script changed beyond that is
// thrown away.
type state struct {
	lua   *lua.LState
	meter *meter
	// globals are what each environment begins with.
	globals []global
	// libraries are the tables that all runs share.
	libraries map[*lua.LTable]bool
	// protection counts the protected calls that are under way.
	protection int
	// spoilt tells that a script changed a library.
	spoilt bool
}

type global struct {
	name  string
	value lua.LValue
}

// states are kept by whether they have the open libraries.
var states = [2]sync.Pool{
	{New: func() any { return newState(false) }},
	{New: func() any { return newState(true) }},
}

func poolOf(open bool) *sync.Pool {
	if open {
		return &states[1]
	}
	return &states[0]
}

func newState(open bool) *state {
	s := &state{meter: newMeter(), libraries: map[*lua.LTable]bool{}}
	s.lua = lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: callDepth, MinimizeStackMemory: true,
		RegistrySize: stackSize, RegistryMaxSize: maxStackSize, RegistryGrowStep: stackGrowStep,
	})
	s.lua.SetContext(s.meter)
	s.meter.reset()
	s.addLibraries(open)
	return s
}

// Run gives the values to a program as globals and returns the last of its
// results: nil, a bool, a float64, a string, a []any or a map[string]any.
// Numbers are floats to the script, and null is nil.
func (p *Program) Run(globals map[string]any) (any, error) {
	proto, err := p.compiled()
	if err != nil {
		return nil, err
	}
	if err := given(globals); err != nil {
		return nil, err
	}
	pool := poolOf(p.open)
	s, ok := pool.Get().(*state)
	if !ok {
		s = newState(p.open)
	}
	result, err := s.run(proto, globals)
	if err == nil && !s.spoilt && s.meter.bytes < keepBelow {
		pool.Put(s)
	}
	return result, err
}

// RunFor runs a program for an object, as Run does. After some runs that
// reached a limit at an object, it is not run for that one for a while, and
// after more of them for none of the object's namespace.
func (p *Program) RunFor(s Subject, globals map[string]any) (any, error) {
	if err := remembered.blown(p.digest, s); err != nil {
		return nil, err
	}
	result, err := p.Run(globals)
	remembered.after(p.digest, s, err)
	return result, err
}

func (s *state) run(proto *lua.FunctionProto, globals map[string]any) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, fmt.Errorf("the script failed: %v", r)
		}
	}()
	s.meter.reset()
	s.protection = 0
	fn := s.lua.NewFunctionFromProto(proto)
	fn.Env = s.environment(globals)
	s.lua.Push(fn)
	if err := s.lua.PCall(0, lua.MultRet, nil); err != nil {
		return nil, s.explain(err)
	}
	if s.meter.err != nil {
		return nil, s.meter.err
	}
	last := lua.LNil
	if s.lua.GetTop() > 0 {
		last = s.lua.Get(-1)
	}
	result, err = decode(last)
	s.lua.SetTop(0)
	return result, err
}

func (s *state) environment(globals map[string]any) *lua.LTable {
	env := s.lua.CreateTable(0, len(s.globals)+len(globals)+4)
	for _, g := range s.globals {
		env.RawSetString(g.name, g.value)
	}
	env.RawSetString("_G", env)
	for name, value := range globals {
		env.RawSetString(name, s.encode(value, maxDepth))
	}
	return env
}

// maxMessage bounds what an error says of what a script raised, in bytes.
const maxMessage = 512

// explain tells why a run failed, without the interpreter's stack.
func (s *state) explain(err error) error {
	if s.meter.err != nil {
		return s.meter.err
	}
	text := err.Error()
	if raised := (*lua.ApiError)(nil); errors.As(err, &raised) && raised.Object != nil {
		text = raised.Object.String()
	}
	text = strings.Join(strings.Fields(text[:min(len(text), 4*maxMessage)]), " ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return errors.New(strings.ToValidUTF8(text, "\uFFFD"))
}
