package sops

import (
	"bytes"
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// parseJSON reads a text that is valid JSON. A file of another kind that has
// one value named data is SOPS's binary form.
func parseJSON(ext string, text []byte) *file {
	if _, err := bounded.Check(text); err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	root, err := jsonNode(decoder)
	if err != nil || root.Kind != yaml.MappingNode {
		return nil
	}
	meta, ok := readMetadata(cut(root, "sops"))
	if !ok || ownKind(root) {
		return nil
	}
	f := &file{[]*yaml.Node{root}, meta, writeJSON}
	named := ext == ".json" || ext == ".yaml" || ext == ".yml"
	if data := find(root, "data"); !named && len(root.Content) == 2 && data != nil && data.Kind == yaml.ScalarNode {
		f.write = func([]*yaml.Node) ([]byte, error) { return []byte(data.Value), nil }
	}
	return f
}

// jsonNode reads the next value. Numbers are floats: so SOPS sums them up.
func jsonNode(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	scalar := func(tag, text string) (*yaml.Node, error) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}, nil
	}
	switch t := token.(type) {
	case json.Delim:
		return jsonTree(d, t)
	case string:
		return scalar("!!str", t)
	case json.Number:
		return scalar("!!float", t.String())
	case bool:
		if t {
			return scalar("!!bool", "true")
		}
		return scalar("!!bool", "false")
	}
	return scalar("!!null", "null")
}

func jsonTree(d *json.Decoder, open json.Delim) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if open == '{' {
		n.Kind = yaml.MappingNode
	}
	for d.More() {
		child, err := jsonNode(d) // keys are texts, too
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, child)
	}
	_, err := d.Token() // the closing one
	return n, err
}

func writeJSON(trees []*yaml.Node) ([]byte, error) {
	var compact, out bytes.Buffer
	if err := appendJSON(&compact, trees[0]); err != nil {
		return nil, err
	}
	if bounded.MayBeDeeper(compact.Bytes(), plainDepth) {
		return compact.Bytes(), nil // it would be little but indentation
	}
	err := json.Indent(&out, compact.Bytes(), "", "  ")
	return out.Bytes(), err
}

var errJSON = errors.New("a value cannot be written as JSON")

func appendJSON(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		return appendTree(out, n)
	case yaml.ScalarNode:
	default:
		return errJSON
	}
	if n.Tag != "!!str" && n.Tag != "!!timestamp" && json.Valid([]byte(n.Value)) {
		out.WriteString(n.Value)
		return nil
	}
	text, err := json.Marshal(n.Value)
	out.Write(text)
	return err
}

func appendTree(out *bytes.Buffer, n *yaml.Node) error {
	marks := "[]"
	if n.Kind == yaml.MappingNode {
		marks = "{}"
	}
	out.WriteByte(marks[0])
	for i, child := range n.Content {
		switch {
		case i == 0:
		case n.Kind == yaml.MappingNode && i%2 == 1:
			out.WriteByte(':')
		default:
			out.WriteByte(',')
		}
		if err := appendJSON(out, child); err != nil {
			return err
		}
	}
	out.WriteByte(marks[1])
	return nil
}
