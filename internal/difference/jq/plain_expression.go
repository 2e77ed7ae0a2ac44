package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// maxLoops bounds what a plain expression iterates over at a time: each holds
// the items of a list or map while it goes through them.
const maxLoops = 8

// plainOperators look at values, and build none.
var plainOperators = map[gojq.Operator]bool{
	gojq.OpPipe: true, gojq.OpComma: true, gojq.OpAlt: true, gojq.OpAnd: true, gojq.OpOr: true,
	gojq.OpEq: true, gojq.OpNe: true, gojq.OpGt: true, gojq.OpLt: true, gojq.OpGe: true, gojq.OpLe: true,
}

// arguments of a plain function.
type arguments int

const (
	// none: it has no arguments.
	none arguments = iota
	// plain expressions.
	plain
	// constants: it takes long where both sides are large, or its text is told.
	constants
	// patterns are constant, as the interpreter keeps them, and matched quickly.
	patterns
)

// plainFunctions look at values as well.
var plainFunctions = map[string]arguments{
	"select": plain, "any": plain, "all": plain, "first": plain, "last": plain, "isempty": plain, "has": plain,
	"startswith": plain, "endswith": plain, "ltrimstr": plain, "rtrimstr": plain,
	"not": none, "empty": none, "type": none, "length": none, "ascii_downcase": none, "ascii_upcase": none,
	"arrays": none, "objects": none, "iterables": none, "booleans": none, "numbers": none, "strings": none, "nulls": none, "values": none, "scalars": none,
	"contains": constants, "inside": constants, "error": constants, "test": patterns,
}

// loops are the plain functions that iterate, at least without arguments.
var loops = map[string]bool{"any": true, "all": true}

// isPlain tells an expression that only goes down into an object and looks at
// what is there. Since it builds no value but texts and numbers no longer than
// those it sees, has no functions or variables of its own, and no recursion but
// that of .., each step takes no more than the object does.
func isPlain(q *gojq.Query) bool {
	p := plainness{loops: maxLoops}
	return p.query(q) && p.loops >= 0
}

type plainness struct{ loops int }

func (p *plainness) query(q *gojq.Query) bool {
	switch {
	case q == nil, q.Meta != nil, len(q.Imports) > 0, len(q.FuncDefs) > 0, len(q.Patterns) > 0:
		return false
	case q.Term != nil:
		return p.term(q.Term)
	}
	return plainOperators[q.Op] && p.query(q.Left) && p.query(q.Right)
}

func (p *plainness) term(t *gojq.Term) bool {
	for _, s := range t.SuffixList {
		if s.Iter {
			p.loops--
		}
		if s.Index != nil && !isPlainIndex(s.Index) {
			return false
		}
	}
	switch t.Type {
	case gojq.TermTypeIdentity:
		return true
	case gojq.TermTypeRecurse:
		p.loops--
		return true
	case gojq.TermTypeIndex:
		return isPlainIndex(t.Index)
	case gojq.TermTypeFunc:
		return p.call(t.Func)
	case gojq.TermTypeIf:
		return p.branches(t.If)
	case gojq.TermTypeQuery:
		return p.query(t.Query)
	default:
		return isConstant(&gojq.Query{Term: t})
	}
}

func (p *plainness) call(f *gojq.Func) bool {
	wants, known := plainFunctions[f.Name]
	if !known {
		return false
	}
	if loops[f.Name] {
		p.loops--
	}
	for _, arg := range f.Args {
		if !p.argument(wants, arg) {
			return false
		}
	}
	return true
}

func (p *plainness) argument(wants arguments, q *gojq.Query) bool {
	switch wants {
	case plain:
		return p.query(q)
	case constants:
		return isConstant(q)
	case patterns:
		return isPattern(q)
	default:
		return false
	}
}

// isPattern takes patterns that are neither long, nor have counts or classes of
// Unicode, which make them long.
func isPattern(q *gojq.Query) bool {
	const longest = 128
	if !isConstant(q) || q.Term == nil {
		return false
	}
	text := q.Term.Str
	return text == nil || len(text.Str) <= longest && !strings.Contains(text.Str, "{") && !strings.Contains(strings.ToLower(text.Str), `\p`)
}

func (p *plainness) branches(b *gojq.If) bool {
	for _, other := range b.Elif {
		if !p.query(other.Cond) || !p.query(other.Then) {
			return false
		}
	}
	return p.query(b.Cond) && p.query(b.Then) && (b.Else == nil || p.query(b.Else))
}

// isPlainIndex takes fields by name and items by number. A part of a list is
// another list.
func isPlainIndex(i *gojq.Index) bool {
	switch {
	case i.IsSlice:
		return false
	case i.Str != nil:
		return i.Str.Queries == nil
	}
	return i.Name != "" || isConstant(i.Start)
}

// isConstant tells a text, a number, a word, or several of them.
func isConstant(q *gojq.Query) bool {
	if q == nil || q.Meta != nil || len(q.Imports)+len(q.FuncDefs)+len(q.Patterns) > 0 {
		return false
	}
	if q.Term == nil {
		return q.Op == gojq.OpComma && isConstant(q.Left) && isConstant(q.Right)
	}
	t := q.Term
	if len(t.SuffixList) > 0 {
		return false
	}
	switch t.Type {
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
		return true
	case gojq.TermTypeString:
		return t.Str.Queries == nil
	case gojq.TermTypeUnary:
		return t.Unary.Term.Type == gojq.TermTypeNumber && len(t.Unary.Term.SuffixList) == 0
	default:
		return false
	}
}
