package generate

import (
	"strings"
	"text/template"
	"text/template/parse"
)

// goText is a parsed Go template.
type goText struct {
	*template.Template

	// parts is what the template is made of, if that is texts and parameters
	// alone, as in most of them; nil otherwise.
	parts []part
	// asks are the parameters that it asks for; unseen those of them that no
	// parameter set has had yet, of those that should be there.
	asks, unseen []ask
	bytes        int // of memory, roughly
}

// part is a literal text, or the path of a parameter.
type part struct {
	text string
	path []string
}

// partsOf reads a template that has not been instrumented yet.
func partsOf(t *parse.Tree) []part {
	var out []part
	for _, node := range t.Root.Nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			out = append(out, part{text: string(n.Text)})
		case *parse.ActionNode:
			path := plainPath(n.Pipe)
			if path == nil {
				return nil
			}
			out = append(out, part{path: path})
		case *parse.CommentNode:
		default:
			return nil
		}
	}
	return out
}

// plainPath is the path of a pipeline that is one field of the parameters.
func plainPath(pipe *parse.PipeNode) []string {
	if pipe == nil || len(pipe.Decl) > 0 || len(pipe.Cmds) != 1 || len(pipe.Cmds[0].Args) != 1 {
		return nil
	}
	field, ok := pipe.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok {
		return nil
	}
	return field.Ident
}

// join renders the parts. It gives up, and leaves it to the template engine,
// where a parameter is no text, or the result is longer than the limit.
func join(parts []part, p Params, limit int) (string, bool) {
	var b strings.Builder
	for _, one := range parts {
		text := one.text
		if one.path != nil {
			var ok bool
			if text, ok = textAt(p, one.path); !ok {
				return "", false
			}
		}
		if b.Len()+len(text) > limit {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// textAt follows a path through maps to a text.
func textAt(p Params, path []string) (string, bool) {
	var value any = map[string]any(p)
	for _, key := range path {
		switch m := value.(type) {
		case map[string]any:
			value = m[key]
		case map[string]string:
			text, ok := m[key]
			if !ok {
				return "", false
			}
			value = text
		default:
			return "", false
		}
	}
	text, ok := value.(string)
	return text, ok
}
