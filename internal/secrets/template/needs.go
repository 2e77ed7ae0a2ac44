package template

import (
	"slices"
	"text/template/parse"
)

// Needs are the names of the values that a template is certain to look up, whatever they are: without one of them it
// is an error. Those that it looks up under a condition, or in a loop, are not among them.
func Needs(name, text string) ([]string, error) {
	parsed, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	main := parsed.Lookup(name)
	if main == nil || main.Tree == nil || main.Root == nil {
		return nil, nil // it only defines others
	}
	var n needs
	for _, node := range main.Root.Nodes {
		n.statement(node)
	}
	return n, nil
}

type needs []string

// statement is one at the top, where the dot is the values; of those with a body only the head is certain.
func (n *needs) statement(node parse.Node) {
	switch node := node.(type) {
	case *parse.ActionNode:
		n.pipe(node.Pipe)
	case *parse.IfNode:
		n.pipe(node.Pipe)
	case *parse.RangeNode:
		n.pipe(node.Pipe)
	case *parse.WithNode:
		n.pipe(node.Pipe)
	case *parse.TemplateNode:
		n.pipe(node.Pipe)
	}
}

func (n *needs) pipe(pipe *parse.PipeNode) {
	if pipe == nil {
		return
	}
	for _, command := range pipe.Cmds {
		args := command.Args
		if called, ok := args[0].(*parse.IdentifierNode); ok && len(args) > 1 && (called.Ident == "and" || called.Ident == "or") {
			args = args[:2] // the others are looked at only if this one does not decide
		}
		for _, arg := range args {
			n.argument(arg)
		}
	}
}

func (n *needs) argument(node parse.Node) {
	switch node := node.(type) {
	case *parse.FieldNode:
		n.add(node.Ident[0])
	case *parse.VariableNode:
		if node.Ident[0] == "$" && len(node.Ident) > 1 {
			n.add(node.Ident[1])
		}
	case *parse.PipeNode:
		n.pipe(node)
	case *parse.ChainNode:
		n.argument(node.Node)
	}
}

func (n *needs) add(name string) {
	if !slices.Contains(*n, name) {
		*n = append(*n, name)
	}
}
