package declared

import (
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// step is one part of a path such as spec.generators[0].list.
var step = regexp.MustCompile(`[^.\[\]]+`)

// lineOf finds the line of a field in a document, 0 when it is not there.
// Keys that hold dots are not found.
func lineOf(text []byte, field string) int {
	if _, err := bounded.Check(text); err != nil {
		return 0
	}
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return 0
	}
	node, line := doc.Content[0], 0
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
