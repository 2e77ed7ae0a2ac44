package declared

import (
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// step is one part of a path such as spec.generators[0].list.
var step = regexp.MustCompile(`[^.\[\]]+`)

// lines finds the lines of fields in a document, which it parses once.
type lines struct {
	text  []byte
	first int // the document's own line in its file
	read  bool
	root  *yaml.Node // nil where the text cannot be parsed
}

func (l *lines) parse() *yaml.Node {
	if l.read {
		return l.root
	}
	l.read = true
	var doc yaml.Node
	if _, err := bounded.Check(l.text); err != nil || yaml.Unmarshal(l.text, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	l.root = doc.Content[0]
	return l.root
}

// of is the line of a field, 0 when it is not there. Keys that hold dots are not
// found.
func (l *lines) of(field string) int {
	node, line := l.parse(), 0
	if node == nil {
		return 0
	}
	for _, name := range step.FindAllString(field, -1) {
		key, value := child(node, name)
		if value == nil {
			return line
		}
		node, line = value, key.Line
	}
	return line
}

func child(node *yaml.Node, name string) (key, value *yaml.Node) {
	if node.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(node.Content) {
			return nil, nil
		}
		return node.Content[i], node.Content[i]
	}
	if node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}
