package helm

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// lines finds where in a YAML text the value of a path stands.
type lines struct{ root *yaml.Node }

// linesOf reads a text. One that cannot be read has no lines.
func linesOf(text []byte) *lines {
	if _, err := bounded.Check(text); err != nil {
		return &lines{}
	}
	var doc yaml.Node
	if yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc) != nil || len(doc.Content) == 0 {
		return &lines{}
	}
	return &lines{doc.Content[0]}
}

// of is the line of the last key of a path; 0 when it is not there.
func (l *lines) of(path []string) int {
	node, line := l.root, 0
	for _, key := range path {
		k, v := member(node, key, 0)
		if v == nil {
			return 0
		}
		node, line = v, k.Line
	}
	return line
}

// named is the line of an item of a list: that at a place if it has the name,
// else the first that has; 0 when none has.
func (l *lines) named(list string, at int, name string) int {
	_, items := member(l.root, list, 0)
	if items == nil || items.Kind != yaml.SequenceNode {
		return 0
	}
	first := 0
	for i, item := range items.Content {
		_, n := member(item, "name", 0)
		if n == nil || n.Value != name {
			continue
		}
		if i == at {
			return item.Line
		}
		if first == 0 {
			first = item.Line
		}
	}
	return first
}

// maxAliases bounds aliases and merge keys on the way to a key.
const maxAliases = 32

// member finds a key of a mapping: the last of several, else one that comes
// by a merge key.
func member(node *yaml.Node, key string, depth int) (k, v *yaml.Node) {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node == nil || node.Kind != yaml.MappingNode || depth > maxAliases {
		return nil, nil
	}
	for i := len(node.Content) - 2; i >= 0; i -= 2 {
		if node.Content[i].Value == key {
			return node.Content[i], node.Content[i+1]
		}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Tag != "!!merge" {
			continue
		}
		merged := node.Content[i+1]
		if merged.Kind != yaml.SequenceNode {
			return member(merged, key, depth+1)
		}
		for _, one := range merged.Content {
			if k, v = member(one, key, depth+1); v != nil {
				return k, v
			}
		}
	}
	return nil, nil
}
