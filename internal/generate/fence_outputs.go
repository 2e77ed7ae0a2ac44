package generate

import (
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
			if len(n.Pipe.Decl) == 0 {
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

func shapeOf(pipe *parse.PipeNode) shape {
	last := len(pipe.Cmds) - 1
	name := functionOf(pipe.Cmds[last])
	if slices.Contains(encoders, name) {
		return asCode
	}
	if name != "indent" && name != "nindent" {
		return asText
	}
	before := asText
	args := pipe.Cmds[last].Args
	if inner, is := args[len(args)-1].(*parse.PipeNode); is {
		before = shapeOf(inner)
	} else if last > 0 {
		before = shapeOf(&parse.PipeNode{Cmds: pipe.Cmds[:last]})
	}
	if before == asCode {
		return asCode
	}
	return asLines
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
