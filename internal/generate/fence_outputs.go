package generate

import (
	"regexp"
	"slices"
	"strings"
	"text/template/parse"
)

// shape is what is known of what an action gives, by its last functions.
type shape byte

const (
	asText  shape = 't' // any text
	asCode  shape = 'c' // YAML or JSON of a value
	asLines shape = 'l' // any text, of which each line is indented
	asIs    shape = 'i' // what the set says, as no parameter stands in it
)

// encoders make YAML or JSON of a value, whatever it is. squote does not: it escapes nothing.
var encoders = []string{"toYaml", "toJson", "toPrettyJson", "toRawJson", "mustToJson", "mustToPrettyJson", "mustToRawJson", "quote"}

// fence puts a mark before and after each action that prints, the first with its shape.
func fence(list *parse.ListNode, mark string) {
	if list == nil {
		return
	}
	out := make([]parse.Node, 0, len(list.Nodes))
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.IfNode:
			fenceBranch(&n.BranchNode, mark)
		case *parse.WithNode:
			fenceBranch(&n.BranchNode, mark)
		case *parse.RangeNode:
			fenceBranch(&n.BranchNode, mark)
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 && !fenceFormat(n.Pipe, mark) {
				out = append(out, textNode(mark+string(shapeOf(n.Pipe))), node, textNode(mark))
				continue
			}
		}
		out = append(out, node)
	}
	list.Nodes = out
}

func fenceBranch(n *parse.BranchNode, mark string) {
	fence(n.List, mark)
	fence(n.ElseList, mark)
}

func textNode(text string) parse.Node {
	return &parse.TextNode{NodeType: parse.NodeText, Text: []byte(text)}
}

// shapeOf is the shape of what a node gives.
func shapeOf(node parse.Node) shape {
	if isConstant(node) {
		return asIs
	}
	pipe, is := node.(*parse.PipeNode)
	if !is {
		return asText
	}
	last := pipe.Cmds[len(pipe.Cmds)-1]
	name := functionOf(last)
	switch {
	case slices.Contains(encoders, name):
		return asCode
	case isIndent(name):
		if shapeOf(lastGiven(pipe)) == asCode {
			return asCode
		}
		return asLines
	case name == "trim" && shapeOf(lastGiven(pipe)) == asCode: // lines lose the first indent
		return asCode
	case name == "trimSuffix" && isText(last.Args[1:], "\n"):
		return shapeOf(lastGiven(pipe))
	}
	return asText
}

// isConstant reports whether no field and no variable stands in a node.
func isConstant(node parse.Node) bool {
	switch n := node.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode, *parse.NilNode, *parse.IdentifierNode:
		return true
	case *parse.CommandNode:
		return !slices.ContainsFunc(n.Args, func(arg parse.Node) bool { return !isConstant(arg) })
	case *parse.PipeNode:
		return !slices.ContainsFunc(n.Cmds, func(c *parse.CommandNode) bool { return !isConstant(c) })
	}
	return false
}

func isIndent(name string) bool { return name == "indent" || name == "nindent" }

// isText reports whether the first of some arguments is written as this text.
func isText(args []parse.Node, text string) bool {
	if len(args) == 0 {
		return false
	}
	n, is := args[0].(*parse.StringNode)
	return is && n.Text == text
}

// lastGiven is what the last function of a pipe is given last.
func lastGiven(pipe *parse.PipeNode) parse.Node {
	last := len(pipe.Cmds) - 1
	if last > 0 {
		return &parse.PipeNode{NodeType: parse.NodePipe, Cmds: pipe.Cmds[:last]}
	}
	args := pipe.Cmds[last].Args
	return args[len(args)-1]
}

// verb is one of a format; those of fencedVerbs take one argument each, and nothing else.
var verb = regexp.MustCompile(`(?s)%.`)

var fencedVerbs = []string{"%s", "%v", "%d", "%q"}

// fenceFormat has the fences of a printf in its format, as an action for each of its verbs would
// have them. It reports whether it could.
func fenceFormat(pipe *parse.PipeNode, mark string) bool {
	last := len(pipe.Cmds) - 1
	cmd := pipe.Cmds[last]
	name := functionOf(cmd)
	if isIndent(name) {
		inner, is := lastGiven(pipe).(*parse.PipeNode)
		return is && fenceFormat(inner, mark)
	}
	if name != "printf" || len(cmd.Args) == 1 {
		return false
	}
	format, is := cmd.Args[1].(*parse.StringNode)
	if !is {
		return false
	}
	args := slices.Clone(cmd.Args[2:])
	if last > 0 {
		args = append(args, lastGiven(pipe))
	}
	fenced, could := fencedFormat(format.Text, args, mark)
	if could {
		format.Text = fenced
	}
	return could
}

func fencedFormat(format string, args []parse.Node, mark string) (string, bool) {
	texts, verbs := verb.Split(format, -1), verb.FindAllString(format, -1)
	if len(verbs) != len(args) || strings.HasSuffix(format, "%") {
		return "", false
	}
	var out strings.Builder
	for i, verb := range verbs {
		if !slices.Contains(fencedVerbs, verb) {
			return "", false
		}
		of := shapeOf(args[i])
		if verb == "%q" {
			of = asCode
		}
		out.WriteString(mark + string(asIs) + texts[i] + mark + mark + string(of) + verb + mark)
	}
	out.WriteString(mark + string(asIs) + texts[len(verbs)] + mark)
	return out.String(), true
}

// output is what an action gave.
type output struct {
	shape shape
	text  string
}

// fencedText is a rendered text in its parts: those that stand in the set, and after each but
// the last what an action gave.
type fencedText struct {
	literals []string
	outputs  []output
}

// cutFences takes the fences out of a text: a mark, the shape, what the action gave, and the mark.
func cutFences(text, mark string) fencedText {
	out := fencedText{}
	for i, part := range strings.Split(text, mark) {
		if i%2 == 0 {
			out.literals = append(out.literals, part)
		} else {
			out.outputs = append(out.outputs, output{shape(part[0]), part[1:]})
		}
	}
	return out
}

// join makes a text of the parts again, with something else in their places.
func (f fencedText) join(literal func(string) string, given func(output) string) string {
	var b strings.Builder
	for i, text := range f.literals {
		b.WriteString(literal(text))
		if i < len(f.outputs) {
			b.WriteString(given(f.outputs[i]))
		}
	}
	return b.String()
}

// plain is the text without fences.
func (f fencedText) plain() string { return f.join(same, output.same) }

func same(text string) string { return text }

func (o output) same() string { return o.text }
