package sops

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// newline is how the formats of lines write a line break inside a value.
const newline = `\n`

func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// manyLines reports whether a file has more values and sections than are read.
func manyLines(in []byte) bool {
	return bytes.Count(in, []byte("="))+bytes.Count(in, []byte("[")) > bounded.MostValues
}

// parseDotenv reads NAME=value lines; those that begin with sops_ are the
// metadata, flattened.
func parseDotenv(in []byte) *file {
	if manyLines(in) {
		return nil
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	flat := map[string]string{}
	for line := range strings.Lines(string(in)) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil
		}
		value = strings.ReplaceAll(value, newline, "\n")
		if field, ok := strings.CutPrefix(name, "sops_"); ok {
			flat[field] = value
			continue
		}
		root.Content = append(root.Content, text(name), text(value))
	}
	meta, ok := unflatten(flat)
	if !ok {
		return nil
	}
	return &file{[]*yaml.Node{root}, meta, writeDotenv}
}

func writeDotenv(trees []*yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	for i := 0; i+1 < len(trees[0].Content); i += 2 {
		out.WriteString(trees[0].Content[i].Value + "=" + strings.ReplaceAll(trees[0].Content[i+1].Value, "\n", newline) + "\n")
	}
	return out.Bytes(), nil
}

// parseINI reads sections of name = value lines; the section sops is the
// metadata, flattened. Values of the first lines are of section DEFAULT.
func parseINI(in []byte) *file {
	if manyLines(in) {
		return nil
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	flat := map[string]string{}
	section := "DEFAULT"
	sections := map[string]*yaml.Node{}
	for line := range strings.Lines(string(in)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			section = line[1 : len(line)-1]
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil
		}
		name, value = strings.TrimSpace(name), unquoted(strings.TrimSpace(value))
		if section == "sops" {
			flat[name] = strings.ReplaceAll(value, newline, "\n")
			continue
		}
		keys := sections[section]
		if keys == nil {
			keys = &yaml.Node{Kind: yaml.MappingNode}
			sections[section] = keys
			root.Content = append(root.Content, text(section), keys)
		}
		keys.Content = append(keys.Content, text(name), text(value))
	}
	meta, ok := unflatten(flat)
	if !ok {
		return nil
	}
	return &file{[]*yaml.Node{root}, meta, writeINI}
}

func unquoted(s string) string {
	for _, q := range []string{"`", `"""`, `"`, "'"} {
		if len(s) >= 2*len(q) && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[len(q) : len(s)-len(q)]
		}
	}
	return s
}

func writeINI(trees []*yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	root := trees[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		out.WriteString("[" + root.Content[i].Value + "]\n")
		keys := root.Content[i+1].Content
		for j := 0; j+1 < len(keys); j += 2 {
			out.WriteString(keys[j].Value + " = " + iniValue(keys[j+1].Value) + "\n")
		}
	}
	return out.Bytes(), nil
}

// iniValue quotes what a reader of INI would cut.
func iniValue(s string) string {
	if strings.ContainsAny(s, "\n#;`\"'") || strings.TrimSpace(s) != s {
		if strings.Contains(s, "`") {
			return `"""` + s + `"""`
		}
		return "`" + s + "`"
	}
	return s
}

var flatKey = regexp.MustCompile(`^(age|kms|gcp_kms|azure_kv|hc_vault|pgp)__list_(\d{1,3})__map_(\w+)$`)

// unflatten reads metadata of which each leaf has a line of its own.
func unflatten(flat map[string]string) (metadata, bool) {
	block := &yaml.Node{Kind: yaml.MappingNode}
	shares := false
	lists := map[string]map[string]*yaml.Node{}
	for name, value := range flat {
		if strings.HasPrefix(name, "key_groups__") || name == "shamir_threshold" {
			shares = true
			continue
		}
		m := flatKey.FindStringSubmatch(name)
		switch {
		case m == nil && name == "mac_only_encrypted":
			block.Content = append(block.Content, text(name), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: value})
		case m == nil:
			block.Content = append(block.Content, text(name), text(value))
		default:
			if lists[m[1]] == nil {
				lists[m[1]] = map[string]*yaml.Node{}
			}
			item := lists[m[1]][m[2]]
			if item == nil {
				item = &yaml.Node{Kind: yaml.MappingNode}
				lists[m[1]][m[2]] = item
			}
			item.Content = append(item.Content, text(m[3]), text(value))
		}
	}
	if shares {
		block.Content = append(block.Content, text("shamir_threshold"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "2"})
	}
	for name, items := range lists {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range items {
			list.Content = append(list.Content, item)
		}
		block.Content = append(block.Content, text(name), list)
	}
	return readMetadata(block)
}
