package generate

import (
	"slices"
	"strconv"
	"text/template/parse"
)

// instrument puts calls at the head of every loop and every template, the only
// two ways to repeat anything, and has checked what actions print, what is compared
// and what methods give.
func instrument(tree *parse.Tree) {
	if tree == nil || tree.Root == nil {
		return
	}
	levels := 2 + walkList(tree.Root, tree) //nolint:mnd // the call and the template
	prepend(enter, tree.Root, tree, levels)
	tree.Root.Nodes = append(tree.Root.Nodes, action(leave, tree, levels))
}

func prepend(function string, list *parse.ListNode, tree *parse.Tree, args ...int) {
	list.Nodes = slices.Insert(list.Nodes, 0, action(function, tree, args...))
}

func action(function string, tree *parse.Tree, args ...int) parse.Node {
	pipe := &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{call(function, tree, args...)}}
	return &parse.ActionNode{NodeType: parse.NodeAction, Pipe: pipe}
}

func call(function string, tree *parse.Tree, args ...int) *parse.CommandNode {
	id := parse.NewIdentifier(function).SetTree(tree)
	out := &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{id}}
	for _, n := range args {
		out.Args = append(out.Args, &parse.NumberNode{NodeType: parse.NodeNumber, IsInt: true, Int64: int64(n), Text: strconv.Itoa(n)})
	}
	return out
}

// walkList returns how many blocks stand inside one another.
func walkList(list *parse.ListNode, tree *parse.Tree) int {
	if list == nil {
		return 0
	}
	deep := 0
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			walkPipe(n.Pipe, tree)
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, call(printed, tree))
			}
		case *parse.IfNode:
			deep = max(deep, walkBranch(&n.BranchNode, tree))
		case *parse.WithNode:
			deep = max(deep, walkBranch(&n.BranchNode, tree))
		case *parse.RangeNode:
			deep = max(deep, walkBranch(&n.BranchNode, tree))
			prepend(tick, n.List, tree)
		case *parse.TemplateNode:
			walkPipe(n.Pipe, tree)
		}
	}
	return deep
}

func walkBranch(n *parse.BranchNode, tree *parse.Tree) int {
	walkPipe(n.Pipe, tree)
	return 1 + max(walkList(n.List, tree), walkList(n.ElseList, tree))
}

// walkPipe has the operands of comparisons checked, which an error prints, and
// what methods give that are given something.
func walkPipe(pipe *parse.PipeNode, tree *parse.Tree) {
	if pipe == nil {
		return
	}
	var out []*parse.CommandNode
	for i, cmd := range pipe.Cmds {
		walkOperands(cmd, tree)
		compares := isComparison(cmd)
		if compares && i > 0 {
			out = append(out, call(printed, tree))
		}
		out = append(out, cmd)
		if !compares && isMethod(cmd.Args[0]) && (len(cmd.Args) > 1 || i > 0) {
			out = append(out, call(gave, tree))
		}
	}
	pipe.Cmds = out
}

func walkOperands(cmd *parse.CommandNode, tree *parse.Tree) {
	compares := isComparison(cmd)
	for i, arg := range cmd.Args {
		switch a := arg.(type) {
		case *parse.PipeNode:
			walkPipe(a, tree)
		case *parse.ChainNode:
			if inner, ok := a.Node.(*parse.PipeNode); ok {
				walkPipe(inner, tree)
			}
		}
		if compares && i > 0 && mayNest(arg) {
			cmd.Args[i] = checked(arg, tree)
		}
	}
}

// checked is a value that may be printed.
func checked(value parse.Node, tree *parse.Tree) parse.Node {
	of := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: value.Position(), Args: []parse.Node{value}}
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: value.Position(), Cmds: []*parse.CommandNode{of, call(printed, tree)}}
}

func isComparison(cmd *parse.CommandNode) bool {
	id, ok := cmd.Args[0].(*parse.IdentifierNode)
	return ok && (id.Ident == "eq" || id.Ident == "ne")
}

// isMethod reports whether a node may name one.
func isMethod(node parse.Node) bool {
	switch node.(type) {
	case *parse.FieldNode, *parse.ChainNode, *parse.VariableNode:
		return true
	default:
		return false
	}
}

// mayNest reports whether a value may have others in it.
func mayNest(node parse.Node) bool {
	switch node.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode:
		return false
	default:
		return true
	}
}
