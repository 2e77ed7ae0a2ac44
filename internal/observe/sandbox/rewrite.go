package sandbox

import (
	"errors"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// The names of what a rewritten script calls. No script can write them as an
// identifier; one that takes them out of its environment only fails.
const (
	callConcat  = "\x00concat"
	callStore   = "\x00store"
	callTable   = "\x00table"
	callClosure = "\x00closure"
)

// maxNesting bounds how deep expressions and blocks lie in one another: the
// compiler goes down by recursion.
const maxNesting = 400

var errNesting = errors.New("its blocks or expressions are nested too deep")

// rewriter replaces what allocates by calls that charge the meter first.
type rewriter struct {
	depth int
	err   error
}

// rewrite changes a chunk in place.
func rewrite(chunk []ast.Stmt) ([]ast.Stmt, error) {
	r := &rewriter{}
	chunk = r.block(chunk)
	return chunk, r.err
}

func (r *rewriter) enter() bool {
	r.depth++
	if r.depth > maxNesting {
		r.err = errNesting
	}
	return r.err == nil
}

func (r *rewriter) leave() { r.depth-- }

func (r *rewriter) block(stmts []ast.Stmt) []ast.Stmt {
	defer r.leave()
	if !r.enter() {
		return stmts
	}
	out := make([]ast.Stmt, 0, len(stmts))
	for _, s := range stmts {
		local, isLocal := s.(*ast.LocalAssignStmt)
		if isLocal && isFunction(local) {
			out = append(out, r.localFunction(local)...)
			continue
		}
		out = append(out, r.statement(s))
	}
	return out
}

func isFunction(s *ast.LocalAssignStmt) bool {
	if len(s.Names) != 1 || len(s.Exprs) != 1 {
		return false
	}
	_, ok := s.Exprs[0].(*ast.FunctionExpr)
	return ok
}

// localFunction stays as it is, so that the function may call itself by its
// name; it is charged afterwards.
func (r *rewriter) localFunction(s *ast.LocalAssignStmt) []ast.Stmt {
	if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
		f.Stmts = r.block(f.Stmts)
	}
	return []ast.Stmt{s, at(s, &ast.FuncCallStmt{Expr: call(s, callClosure)})}
}

func (r *rewriter) statement(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return r.assignment(s)
	case *ast.LocalAssignStmt:
		r.all(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = r.expr(s.Expr)
	case *ast.DoBlockStmt:
		s.Stmts = r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		s.Stmts = r.block(s.Stmts)
	case *ast.RepeatStmt:
		s.Condition = r.expr(s.Condition)
		s.Stmts = r.block(s.Stmts)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		s.Then = r.block(s.Then)
		s.Else = r.block(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = r.expr(s.Init), r.expr(s.Limit)
		if s.Step != nil {
			s.Step = r.expr(s.Step)
		}
		s.Stmts = r.block(s.Stmts)
	case *ast.GenericForStmt:
		r.all(s.Exprs)
		s.Stmts = r.block(s.Stmts)
	case *ast.FuncDefStmt:
		return r.definition(s)
	case *ast.ReturnStmt:
		r.all(s.Exprs)
	}
	return s
}

// definition turns `function t.f()` and `function t:f()` into stores.
func (r *rewriter) definition(s *ast.FuncDefStmt) ast.Stmt {
	target := s.Name.Func
	if s.Name.Receiver != nil {
		target = at(s, &ast.AttrGetExpr{Object: s.Name.Receiver, Key: at(s, &ast.StringExpr{Value: s.Name.Method})})
		s.Func.ParList.Names = append([]string{"self"}, s.Func.ParList.Names...)
	}
	return r.statement(at(s, &ast.AssignStmt{Lhs: []ast.Expr{target}, Rhs: []ast.Expr{s.Func}}))
}

// assignment turns stores into tables into calls. Where several values are
// assigned at a time, all is evaluated before the first is stored.
func (r *rewriter) assignment(s *ast.AssignStmt) ast.Stmt {
	stores := false
	for _, target := range s.Lhs {
		_, field := target.(*ast.AttrGetExpr)
		stores = stores || field
	}
	r.all(s.Rhs)
	if !stores {
		return s
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		return r.store(s, s.Lhs[0], s.Rhs[0])
	}
	places := at(s, &ast.LocalAssignStmt{})
	values := at(s, &ast.LocalAssignStmt{Exprs: s.Rhs})
	block := at(s, &ast.DoBlockStmt{Stmts: []ast.Stmt{places, values}})
	for i, target := range s.Lhs {
		value := "\x00v" + strconv.Itoa(i)
		values.Names = append(values.Names, value)
		field, ok := target.(*ast.AttrGetExpr)
		if !ok {
			block.Stmts = append(block.Stmts, at(s, &ast.AssignStmt{Lhs: []ast.Expr{target}, Rhs: []ast.Expr{ident(s, value)}}))
			continue
		}
		table, key := "\x00t"+strconv.Itoa(i), "\x00k"+strconv.Itoa(i)
		places.Names = append(places.Names, table, key)
		places.Exprs = append(places.Exprs, r.expr(field.Object), r.expr(field.Key))
		block.Stmts = append(block.Stmts, storeCall(s, ident(s, table), ident(s, key), ident(s, value)))
	}
	return block
}

func (r *rewriter) store(s ast.Stmt, target, value ast.Expr) ast.Stmt {
	field, ok := target.(*ast.AttrGetExpr)
	if !ok {
		return at(s, &ast.AssignStmt{Lhs: []ast.Expr{target}, Rhs: []ast.Expr{value}})
	}
	return storeCall(s, r.expr(field.Object), r.expr(field.Key), value)
}

func storeCall(s ast.Stmt, args ...ast.Expr) ast.Stmt {
	return at(s, &ast.FuncCallStmt{Expr: call(s, callStore, args...)})
}

func (r *rewriter) all(exprs []ast.Expr) {
	for i, e := range exprs {
		exprs[i] = r.expr(e)
	}
}

func (r *rewriter) expr(e ast.Expr) ast.Expr {
	defer r.leave()
	if !r.enter() {
		return e
	}
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	case *ast.TableExpr:
		return r.table(e)
	case *ast.FuncCallExpr:
		r.call(e)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		return r.concat(e)
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.FunctionExpr:
		e.Stmts = r.block(e.Stmts)
		return call(e, callClosure, e)
	}
	return e
}

func (r *rewriter) call(e *ast.FuncCallExpr) {
	if e.Func != nil {
		e.Func = r.expr(e.Func)
	}
	if e.Receiver != nil {
		e.Receiver = r.expr(e.Receiver)
	}
	r.all(e.Args)
}

func (r *rewriter) table(e *ast.TableExpr) ast.Expr {
	for _, f := range e.Fields {
		if f.Key != nil {
			f.Key = r.expr(f.Key)
		}
		f.Value = r.expr(f.Value)
	}
	return call(e, callTable, e, at(e, &ast.NumberExpr{Value: strconv.Itoa(len(e.Fields))}))
}

// concat makes one call of a chain: it nests to the right as far as it is long.
func (r *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var args []ast.Expr
	var here ast.Expr = e
	for {
		link, ok := here.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		args, here = append(args, r.expr(link.Lhs)), link.Rhs
	}
	args = append(args, single(r.expr(here)))
	// The arguments of a call lie in registers, of which there are few.
	for len(args) > maxArguments {
		first := call(e, callConcat, args[:maxArguments:maxArguments]...)
		args = append([]ast.Expr{first}, args[maxArguments:]...)
	}
	return call(e, callConcat, args...)
}

// maxArguments bounds the arguments of a call that stands for a chain.
const maxArguments = 50

// single cuts an expression with several values down to the first.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// call has exactly one value, as what it stands for.
func call(from ast.PositionHolder, name string, args ...ast.Expr) *ast.FuncCallExpr {
	return at(from, &ast.FuncCallExpr{Func: ident(from, name), Args: args, AdjustRet: true})
}

func ident(from ast.PositionHolder, name string) ast.Expr {
	return at(from, &ast.IdentExpr{Value: name})
}

// at gives a new node the place of the one that it stands for.
func at[N ast.PositionHolder](from ast.PositionHolder, n N) N {
	n.SetLine(from.Line())
	n.SetLastLine(from.LastLine())
	return n
}
