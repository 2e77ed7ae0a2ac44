package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// maxSource bounds a script, in bytes. The longest that is known has 12 KB.
const maxSource = 256 << 10

// Program is a script. It is compiled at its first use, once, and is safe for
// concurrent use.
type Program struct {
	source string
	open   bool
	digest string

	once  sync.Once
	proto *lua.FunctionProto
	err   error
}

// New makes a program with what every script has: tables, and of the clock
// what tells the time.
func New(source string) *Program { return newProgram(source, false) }

// NewOpen makes a program that has texts and mathematics, too.
func NewOpen(source string) *Program { return newProgram(source, true) }

func newProgram(source string, open bool) *Program {
	sum := sha256.Sum256([]byte(source))
	digest := hex.EncodeToString(sum[:8])
	if open {
		digest += "+"
	}
	return &Program{source: source, open: open, digest: digest}
}

// Digest is equal for programs that do the same.
func (p *Program) Digest() string { return p.digest }

// Check reports whether the program can be compiled.
func (p *Program) Check() error {
	_, err := p.compiled()
	return err
}

func (p *Program) compiled() (*lua.FunctionProto, error) {
	p.once.Do(func() { p.proto, p.err = compile(p.source) })
	return p.proto, p.err
}

func compile(source string) (proto *lua.FunctionProto, err error) {
	// The compiler panics where a script has too many locals or constants.
	defer func() {
		if r := recover(); r != nil {
			proto, err = nil, fmt.Errorf("cannot compile the script: %v", r)
		}
	}()
	if len(source) > maxSource {
		return nil, fmt.Errorf("the script has more than %d KiB", maxSource>>10)
	}
	chunk, err := parse.Parse(strings.NewReader(source), scriptName)
	if err != nil {
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	if chunk, err = rewrite(chunk); err != nil {
		return nil, fmt.Errorf("cannot compile the script: %w", err)
	}
	return compileChunk(chunk)
}

func compileChunk(chunk []ast.Stmt) (*lua.FunctionProto, error) {
	proto, err := lua.Compile(chunk, scriptName)
	if err != nil {
		return nil, fmt.Errorf("cannot compile the script: %w", err)
	}
	return proto, nil
}

// scriptName stands before the line in messages.
const scriptName = "line"
