package generate

import (
	"slices"
	"strings"
	"text/template/parse"
)

// everything is the key of a template that takes all parameters at once.
const everything = "."

// ask is a parameter that a Go template asks for.
type ask struct {
	path []string
	// maybe tells that the template expects it to be missing: it is tested, or
	// has a default.
	maybe bool
}

func (a ask) key() string {
	if len(a.path) == 0 {
		return everything
	}
	return strings.Join(a.path, ".")
}

// asksOf finds the parameters that a template asks for, through index, get
// and dig, through variables, with and $. Where the last part of a path is
// only known when it runs, as in a loop, the path ends before it.
func asksOf(tree *parse.Tree) []ask {
	if tree == nil || tree.Root == nil {
		return nil
	}
	r := &reading{}
	r.list(tree.Root, place{at: at{known: true}, vars: map[string]at{"$": {known: true}}})
	return r.asks
}

// at is what a value is: the parameter of a path, or something unknown.
type at struct {
	path  []string
	known bool
	// within tells that it is somewhere below the path, and not known where.
	within bool
}

// mostPath bounds paths: a variable may be set below itself any number of times.
// What is longer may be any parameter.
const mostPath = 50

func (a at) below(keys ...string) at {
	if !a.known || a.within {
		return a
	}
	if len(a.path)+len(keys) > mostPath {
		return at{}.somewhere()
	}
	return at{path: slices.Concat(a.path, keys), known: true}
}

// somewhere is below a value, where a key decides that is known only when the template runs.
func (a at) somewhere() at {
	a.known, a.within = true, true
	return a
}

// place is where in a template something stands: what the dot is, and the variables.
type place struct {
	at

	vars map[string]at
}

// inner is a place within a block, whose variables end with it.
func (p place) inner(dot at) place {
	vars := make(map[string]at, len(p.vars))
	for k, v := range p.vars {
		vars[k] = v
	}
	return place{at: dot, vars: vars}
}

type reading struct{ asks []ask }

func (r *reading) list(list *parse.ListNode, p place) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			r.use(n.Pipe, p, len(n.Pipe.Decl) > 0)
			p.declare(n.Pipe, p.of(n.Pipe))
		case *parse.TemplateNode:
			r.use(n.Pipe, p, false)
		case *parse.IfNode:
			r.branch(&n.BranchNode, p, p.at)
		case *parse.WithNode:
			r.branch(&n.BranchNode, p, p.of(n.Pipe))
		case *parse.RangeNode:
			r.use(n.Pipe, p, true)
			in := p.inner(at{})
			in.declare(n.Pipe, at{})
			r.list(n.List, in)
			r.list(n.ElseList, p.inner(p.at))
		}
	}
}

func (r *reading) branch(n *parse.BranchNode, p place, dot at) {
	r.use(n.Pipe, p, true)
	in := p.inner(dot)
	in.declare(n.Pipe, p.of(n.Pipe))
	r.list(n.List, in)
	r.list(n.ElseList, p.inner(p.at))
}

func (p place) declare(pipe *parse.PipeNode, value at) {
	for _, v := range pipe.Decl {
		p.vars[v.Ident[0]] = value
	}
}

// tolerant functions expect that what they are given may be missing.
var tolerant = map[string]bool{
	"default": true, "coalesce": true, "ternary": true, "hasKey": true, "dig": true, "empty": true, "any": true, "all": true,
	"and": true, "or": true, "not": true, "eq": true, "ne": true, "kindIs": true, "typeIs": true, "kindOf": true, "typeOf": true,
}

// use notes what a node asks for.
func (r *reading) use(node parse.Node, p place, maybe bool) {
	switch n := node.(type) {
	case nil:
	case *parse.PipeNode:
		if n == nil {
			return
		}
		r.pipe(n, p, maybe)
	case *parse.CommandNode:
		r.command(n, p, maybe)
	default:
		if a := p.of(node); a.known {
			r.asks = append(r.asks, ask{a.path, maybe})
			r.keysOf(node, p)
			return
		}
		if chain, ok := node.(*parse.ChainNode); ok {
			r.use(chain.Node, p, maybe)
		}
	}
}

func (r *reading) pipe(n *parse.PipeNode, p place, maybe bool) {
	for _, c := range n.Cmds {
		maybe = maybe || tolerant[functionOf(c)]
	}
	if a := p.of(n); a.known {
		r.asks = append(r.asks, ask{a.path, maybe})
		r.keysOf(n, p)
		return
	}
	for i, c := range n.Cmds {
		if i > 0 { // what is handed to it may be where it looks, or a key
			r.all(c.Args, p, maybe)
			continue
		}
		r.command(c, p, maybe)
	}
}

func (r *reading) command(c *parse.CommandNode, p place, maybe bool) {
	if a := p.command(c, at{}); a.known {
		r.asks = append(r.asks, ask{a.path, maybe})
		r.keysOfCommand(c, p, false)
		return
	}
	r.all(c.Args, p, maybe)
}

func (r *reading) all(args []parse.Node, p place, maybe bool) {
	for _, arg := range args {
		r.use(arg, p, maybe)
	}
}

// keysOf notes what decides which parameter a node of a known path gives: its keys may
// be parameters themselves, and so may be what it has for one that is missing.
func (r *reading) keysOf(node parse.Node, p place) {
	switch n := node.(type) {
	case *parse.PipeNode:
		for i, c := range n.Cmds {
			r.keysOfCommand(c, p, i > 0)
		}
	case *parse.ChainNode:
		r.keysOf(n.Node, p)
	}
}

func (r *reading) keysOfCommand(c *parse.CommandNode, p place, piped bool) {
	args := c.Args
	switch name := functionOf(c); {
	case name == "":
		r.keysOf(args[0], p)
		return
	case name == "dig" && !piped:
		last := len(args) - 1
		r.keysOf(args[last], p)
		args = args[1:last]
	case name == "dig":
		args = args[1:]
	default:
		r.keysOf(args[1], p)
		args = args[2:]
	}
	r.all(args, p, true)
}

func functionOf(c *parse.CommandNode) string {
	if len(c.Args) == 0 {
		return ""
	}
	id, ok := c.Args[0].(*parse.IdentifierNode)
	if !ok {
		return ""
	}
	return id.Ident
}

// of is what the value of a node is.
func (p place) of(node parse.Node) at {
	switch n := node.(type) {
	case *parse.DotNode:
		return p.at
	case *parse.FieldNode:
		return p.below(n.Ident...)
	case *parse.VariableNode:
		return p.vars[n.Ident[0]].below(n.Ident[1:]...)
	case *parse.ChainNode:
		return p.of(n.Node).below(n.Field...)
	case *parse.CommandNode:
		return p.command(n, at{})
	case *parse.PipeNode:
		if n == nil {
			return at{}
		}
		var value at
		for i, c := range n.Cmds {
			if i > 0 && !value.known {
				return at{}
			}
			value = p.command(c, value)
		}
		return value
	default:
		return at{}
	}
}

// command is what a call gives, piped being what is handed to it.
func (p place) command(c *parse.CommandNode, piped at) at {
	if len(c.Args) == 0 {
		return at{}
	}
	name, args := functionOf(c), c.Args[1:]
	switch name {
	case "index", "get":
		if len(args) < 2 || piped.known {
			return at{}
		}
		return p.keyed(p.of(args[0]), args[1:])
	case "dig":
		// The keys, a default, and where to look.
		if !piped.known && len(args) > 0 {
			piped, args = p.of(args[len(args)-1]), args[:len(args)-1]
		}
		if len(args) < 2 {
			return at{}
		}
		return p.keyed(piped, args[:len(args)-1])
	case "":
		if len(c.Args) == 1 && !piped.known {
			return p.of(c.Args[0])
		}
	}
	return at{}
}

// keyed is below a value, as far as the keys are written as texts. An index
// of a list ends it, too.
func (p place) keyed(base at, keys []parse.Node) at {
	for _, k := range keys {
		text, ok := k.(*parse.StringNode)
		if !ok && base.known {
			return base.somewhere()
		}
		if !ok {
			return base
		}
		base = base.below(text.Text)
	}
	return base
}

// there reports whether a path leads somewhere in the parameters.
func there(p Params, path []string) bool {
	var value any = map[string]any(p)
	for _, key := range path {
		var ok bool
		switch m := value.(type) {
		case map[string]any:
			value, ok = m[key]
		case map[string]string:
			value, ok = m[key]
		default:
			ok = true // methods and fields of other values are not followed
		}
		if !ok {
			return false
		}
	}
	return value != nil
}
