package sops

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// file is an encrypted file in its parts: the trees of values without the
// sops block, and how to write them.
type file struct {
	trees []*yaml.Node
	meta  metadata
	write func([]*yaml.Node) ([]byte, error)
}

// blockBegins is how the metadata begins in each of the formats.
var blockBegins = regexp.MustCompile(`(?m)^sops:|"sops"\s*:|^sops_mac=|^\[sops\]`)

// looksEncrypted tells it of a text that is not parsed.
func looksEncrypted(text []byte) bool {
	return bytes.Contains(text, []byte(sealMark)) && bytes.Contains(text, []byte("lastmodified")) && blockBegins.Match(text)
}

// parse returns nil for a file that is not encrypted by SOPS.
func parse(name string, text []byte) *file {
	if !bytes.Contains(text, []byte(sealMark)) || !bytes.Contains(text, []byte("sops")) {
		return nil
	}
	trimmed := bytes.TrimSpace(text)
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".env" || bytes.Contains(text, []byte("\nsops_mac=")):
		return parseDotenv(text)
	case ext == ".ini":
		return parseINI(text)
	case bytes.HasPrefix(trimmed, []byte("{")) && json.Valid(trimmed):
		return parseJSON(ext, trimmed)
	}
	return parseYAML(text)
}

func parseYAML(text []byte) *file {
	if _, err := bounded.Check(text); err != nil {
		return nil // who reads it as a manifest tells
	}
	var trees []*yaml.Node
	var meta metadata
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
			return nil
		}
		root := doc.Content[0]
		block := cut(root, "sops")
		if len(trees) == 0 {
			var ok bool
			if meta, ok = readMetadata(block); !ok || ownKind(root) {
				return nil
			}
		}
		trees = append(trees, root)
	}
	if len(trees) == 0 {
		return nil
	}
	return &file{trees, meta, writeYAML}
}

func writeYAML(trees []*yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	if slices.ContainsFunc(trees, func(t *yaml.Node) bool { return deep(t, plainDepth) }) {
		return writeLines(trees)
	}
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2) //nolint:mnd // spaces
	for _, t := range trees {
		if err := encoder.Encode(t); err != nil {
			return nil, err
		}
	}
	err := encoder.Close()
	return out.Bytes(), err
}

// plainDepth is how many lists and mappings in one another are written with a line for
// each: of deeper ones there would be little but indentation, as of texts that have
// other line ends than usual.
const plainDepth = 100

func deep(n *yaml.Node, most int) bool {
	return most < 0 || strings.ContainsAny(n.Value, "\u0085\u2028\u2029") || slices.ContainsFunc(n.Content, func(below *yaml.Node) bool { return deep(below, most-1) })
}

// writeLines writes each tree as JSON in a line, which YAML has in it.
func writeLines(trees []*yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	for _, t := range trees {
		if t.Kind == yaml.DocumentNode && len(t.Content) > 0 {
			t = t.Content[0]
		}
		out.WriteString("---\n")
		if err := appendJSON(&out, t); err != nil {
			return nil, err
		}
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// ownKind tells of a custom resource that is decrypted inside the cluster,
// by isindir/sops-secrets-operator.
func ownKind(root *yaml.Node) bool {
	kind := find(root, "kind")
	return kind != nil && kind.Value == "SopsSecret"
}

func find(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// cut takes a key out of a mapping.
func cut(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			value := mapping.Content[i+1]
			mapping.Content = append(mapping.Content[:i], mapping.Content[i+2:]...)
			return value
		}
	}
	return nil
}
