package helm

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// lines finds where in a YAML text the value of a path stands.
type lines struct {
	root *yaml.Node
	// known are the keys of mappings that were looked at: a path after the other is
	// asked for, and each key of a mapping only once.
	known map[*yaml.Node]map[string]entry
}

// entry is a key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// linesOf reads a text. One that cannot be read has no lines.
func linesOf(text []byte) *lines {
	if _, err := bounded.Check(text); err != nil {
		return &lines{}
	}
	var doc yaml.Node
	if yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc) != nil || len(doc.Content) == 0 {
		return &lines{}
	}
	return &lines{root: doc.Content[0], known: map[*yaml.Node]map[string]entry{}}
}

// of is the line of the last key of a path; 0 when it is not there.
func (l *lines) of(path []string) int {
	node, line := l.root, 0
	for _, key := range path {
		e, ok := l.keys(node, 0)[key]
		if !ok {
			return 0
		}
		node, line = e.value, e.key.Line
	}
	return line
}

// named is the line of an item of a list: that at a place if it has the name,
// else the first that has; 0 when none has.
func (l *lines) named(list string, at int, name string) int {
	items := l.keys(l.root, 0)[list].value
	if items == nil || items.Kind != yaml.SequenceNode {
		return 0
	}
	first := 0
	for i, item := range items.Content {
		n := l.keys(item, 0)["name"].value
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

// keys are those of a mapping: the last of several that are equal, else one that
// comes by a merge key.
func (l *lines) keys(node *yaml.Node, depth int) map[string]entry {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node == nil || node.Kind != yaml.MappingNode || depth > maxAliases {
		return nil
	}
	if known, ok := l.known[node]; ok {
		return known
	}
	out := make(map[string]entry, len(node.Content)/2)
	l.known[node] = out // before what it merges, which may be itself
	for i := 0; i+1 < len(node.Content); i += 2 {
		out[node.Content[i].Value] = entry{node.Content[i], node.Content[i+1]}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Tag == "!!merge" {
			l.merge(out, node.Content[i+1], depth+1)
		}
	}
	return out
}

// merge adds what a merge key brings: a mapping, or several, the first of which counts.
func (l *lines) merge(into map[string]entry, merged *yaml.Node, depth int) {
	all := []*yaml.Node{merged}
	if merged.Kind == yaml.SequenceNode {
		all = merged.Content
	}
	for _, one := range all {
		for key, e := range l.keys(one, depth) {
			if _, own := into[key]; !own {
				into[key] = e
			}
		}
	}
}
