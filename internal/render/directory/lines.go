package directory

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/document"
)

// parts are the documents of the file that was looked at last: a file may have a list
// in each.
type parts struct {
	of  []byte
	all []document.Part
}

// in finds the documents of a text.
func (p *parts) in(text []byte) []document.Part {
	if len(text) == 0 || len(p.of) != len(text) || &p.of[0] != &text[0] {
		p.of, p.all = text, document.Split(text)
	}
	return p.all
}

// itemLines finds the lines of the items of the list that starts at a line of
// a text; nil when it cannot tell.
func itemLines(all []document.Part, line int) []int {
	i, found := slices.BinarySearchFunc(all, line, func(p document.Part, line int) int { return cmp.Compare(p.Line, line) })
	if !found {
		return nil
	}
	part := all[i]
	if _, err := bounded.Check(part.Text); err != nil {
		return nil // it is larger than the library may read
	}
	var doc yaml.Node
	if yaml.Unmarshal(part.Text, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	items := valueOf(doc.Content[0], "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		return nil
	}
	lines := make([]int, 0, len(items.Content))
	for _, item := range items.Content {
		lines = append(lines, line+item.Line-1)
	}
	return lines
}

// valueOf is the value of a key of a mapping, the last one where it stands twice.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	var found *yaml.Node
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			found = n.Content[i+1]
		}
	}
	return found
}
