package engine

import (
	"slices"
	"strings"
	"text/template/parse"
)

// Functions that are put into parse trees. A template that names one is
// refused, as the parser does not know them.
const (
	printGuard = "causewayPrint"
	keepGuard  = "causewayKeep"
)

// instrument puts markers into a tree: for loops, calls, places, and guards
// before what prints maps and lists.
type instrument struct {
	tree  *parse.Tree
	name  string // of the file
	lines []int  // offsets of the lines of the file
	file  bool   // the template of the file itself
	nest  int    // the most blocks and pipelines inside one another
	loop  int    // loops around the node
	loops int    // the most of them
	calm  int    // nodes since the last marker
}

// every is the number of nodes without a marker.
const every = 16

// perLoop is the weight of a loop: an error in it is raised anew at each loop
// around it, which takes time by the square of them, and cannot be stopped.
const perLoop = 40

func (in *instrument) run() {
	root := in.tree.Root
	in.list(root, 0)
	weight := 8 + in.nest + perLoop*in.loops
	root.Nodes = slices.Insert(root.Nodes, 0, parse.Node(marker(enterMark, weight, in.line(root.Pos), in.name, root.Pos)))
	root.Nodes = append(root.Nodes, marker(leaveMark, weight, 0, "", root.Pos))
}

func (in *instrument) line(pos parse.Pos) int {
	at, _ := slices.BinarySearch(in.lines, int(pos)+1)
	return max(at, 1)
}

// lineStarts are the offsets at which the lines of a text start.
func lineStarts(text string) []int {
	starts := make([]int, 1, 1+strings.Count(text, "\n"))
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (in *instrument) list(l *parse.ListNode, depth int) {
	if l == nil {
		return
	}
	in.nest = max(in.nest, depth)
	out := make([]parse.Node, 0, 2*len(l.Nodes)+1)
	for _, n := range l.Nodes {
		if m := in.before(n); m != nil {
			out = append(out, m)
		}
		out = append(out, n)
		in.node(n, depth)
	}
	l.Nodes = out
}

// before is the marker before a node.
func (in *instrument) before(n parse.Node) parse.Node {
	if in.file {
		switch n := n.(type) {
		case *parse.TextNode:
			return marker(textMark, 0, in.line(n.Pos), in.name, n.Pos)
		case *parse.ActionNode, *parse.TemplateNode:
			return marker(actionMark, 0, in.line(n.Position()), in.name, n.Position())
		}
	}
	if in.calm++; in.calm%every == 0 {
		return marker(tickMarker, 0, in.line(n.Position()), in.name, n.Position())
	}
	return nil
}

func (in *instrument) node(n parse.Node, depth int) {
	switch n := n.(type) {
	case *parse.ActionNode:
		in.pipe(n.Pipe, depth)
		if len(n.Pipe.Decl) == 0 {
			in.guard(n.Pipe, printGuard, prints(n.Pipe))
		}
	case *parse.IfNode:
		in.branch(&n.BranchNode, depth)
	case *parse.WithNode:
		in.branch(&n.BranchNode, depth)
	case *parse.RangeNode:
		in.loop++
		in.loops = max(in.loops, in.loop)
		in.branch(&n.BranchNode, depth)
		in.loop--
		tick := marker(tickMarker, 0, in.line(n.Pos), in.name, n.Pos)
		n.List.Nodes = slices.Insert(n.List.Nodes, 0, parse.Node(tick))
	case *parse.TemplateNode:
		in.pipe(n.Pipe, depth)
	}
}

func (in *instrument) branch(b *parse.BranchNode, depth int) {
	in.pipe(b.Pipe, depth)
	in.list(b.List, depth+1)
	in.list(b.ElseList, depth+1)
}

func (in *instrument) pipe(p *parse.PipeNode, depth int) {
	if p == nil {
		return
	}
	in.nest = max(in.nest, depth)
	for _, c := range p.Cmds {
		for i, arg := range c.Args {
			in.argument(arg, depth+1)
			if checked := in.encodes(arg); checked != nil {
				c.Args[i] = checked
			}
		}
	}
	in.guard(p, keepGuard, keeps(p))
}

func (in *instrument) argument(n parse.Node, depth int) {
	switch n := n.(type) {
	case *parse.PipeNode:
		in.pipe(n, depth)
	case *parse.ChainNode:
		in.argument(n.Node, depth)
	}
}

// encodesAll is the method of a chart's values that encodes all of them, also what
// templates have set there.
const encodesAll = "YAML"

// encodes is a node that names the method, with a guard before it; nil for others.
func (in *instrument) encodes(n parse.Node) parse.Node {
	var of parse.Node
	var names []string
	switch n := n.(type) {
	case *parse.FieldNode:
		at := slices.Index(n.Ident, encodesAll)
		if at < 0 {
			return nil
		}
		of, names = &parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}, n.Ident[at:]
		if at > 0 {
			of = &parse.FieldNode{NodeType: parse.NodeField, Pos: n.Pos, Ident: n.Ident[:at]}
		}
	case *parse.VariableNode:
		at := slices.Index(n.Ident, encodesAll)
		if at < 1 { // the first is the variable's own
			return nil
		}
		of, names = &parse.VariableNode{NodeType: parse.NodeVariable, Pos: n.Pos, Ident: n.Ident[:at]}, n.Ident[at:]
	case *parse.ChainNode:
		at := slices.Index(n.Field, encodesAll)
		if at < 0 {
			return nil
		}
		of, names = n.Node, n.Field[at:]
		if at > 0 {
			of = &parse.ChainNode{NodeType: parse.NodeChain, Pos: n.Pos, Node: n.Node, Field: n.Field[:at]}
		}
	default:
		return nil
	}
	first := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Position(), Args: []parse.Node{of}}
	pipe := &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Position(), Cmds: []*parse.CommandNode{first}}
	in.guard(pipe, printGuard, true)
	return &parse.ChainNode{NodeType: parse.NodeChain, Pos: n.Position(), Node: pipe, Field: names}
}

func (in *instrument) guard(p *parse.PipeNode, name string, wanted bool) {
	if !wanted {
		return
	}
	call := parse.NewIdentifier(name).SetTree(in.tree).SetPos(p.Pos)
	p.Cmds = append(p.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: p.Pos, Args: []parse.Node{call}})
}

func lastWord(p *parse.PipeNode) parse.Node {
	if len(p.Cmds) == 0 || len(p.Cmds[len(p.Cmds)-1].Args) == 0 {
		return nil
	}
	return p.Cmds[len(p.Cmds)-1].Args[0]
}

// prints reports whether what a pipeline prints may be a map or a list.
func prints(p *parse.PipeNode) bool {
	switch n := lastWord(p).(type) {
	case *parse.IdentifierNode:
		return !texts[n.Ident]
	case *parse.FieldNode, *parse.VariableNode, *parse.ChainNode, *parse.DotNode, *parse.PipeNode:
		return true
	}
	return false
}

// largeMethods make texts and lists: out of the files of a chart, and out of the
// layout of a time, which may be a text that was made so before.
var largeMethods = []string{"Get", "GetBytes", "Lines", "AsConfig", "AsSecrets", "Glob", "Format", "AppendFormat", "AppendText", "AppendBinary", "YAML"}

// keeps reports whether a pipeline ends in a method that makes something large.
func keeps(p *parse.PipeNode) bool {
	var fields []string
	switch n := lastWord(p).(type) {
	case *parse.FieldNode:
		fields = n.Ident
	case *parse.VariableNode:
		fields = n.Ident
	case *parse.ChainNode:
		fields = n.Field
	}
	return len(fields) > 0 && slices.Contains(largeMethods, fields[len(fields)-1])
}
