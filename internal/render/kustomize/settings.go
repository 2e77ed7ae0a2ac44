package kustomize

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

var _ source.Configured = (*Renderer)(nil)

// Settings implements source.Configured: what the kustomization file of the
// source's folder says, and what the Application sets over it. Texts of
// patches are left out: only what they are about is told.
func (*Renderer) Settings(_ context.Context, s *source.Source) ([]gitops.Value, error) {
	name, before, err := load(s)
	if err != nil {
		return nil, err
	}
	_, after, err := load(s) // another one: editing changes it in place
	if err != nil {
		return nil, err
	}
	if err := edit(s, after); err != nil {
		return nil, err
	}
	// Who looks is shown what both say, of all sources of an application.
	for _, k := range []kustomization{before, after} {
		held := bounded.Weigh(map[string]any(k))
		if err := s.Hold("what is told of "+name, int(held.Texts+held.Parts)); err != nil {
			return nil, err
		}
	}
	text, err := s.Tree.ReadFile(name)
	if err != nil {
		return nil, source.Missing(source.File{Tree: s.Tree, Name: name}, "kustomization file", "", err)
	}
	file, own := before.settings(), after.settings()
	lines, at := linesOf(text), map[string]setting{}
	for _, old := range slices.Backward(file) { // the first one of a path counts
		at[old.key()] = old
	}
	var out []gitops.Value
	for _, now := range own {
		v := gitops.Value{Path: now.path}
		old, had := at[now.key()]
		if had {
			v.Layers = append(v.Layers, gitops.Layer{Kind: gitops.LayerKustomization, Name: name, Origin: s.Tree.Where(name, lines.of(old)), Value: old.value})
		}
		if !had || !reflect.DeepEqual(old.value, now.value) {
			v.Layers = append(v.Layers, gitops.Layer{Kind: gitops.LayerSource, Name: "kustomize." + now.path[0], Value: now.value})
		}
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b gitops.Value) int { return slices.Compare(a.Path, b.Path) })
	return out, nil
}

// setting is one thing that a kustomization says.
type setting struct {
	path  []string
	value any
	// index in the list of the field; -1 where it is no list.
	index int
}

func (s setting) key() string { return strings.Join(s.path, "\x00") }

// settings lists what people look for in a kustomization.
func (k kustomization) settings() []setting {
	var out []setting
	for _, field := range []string{"namePrefix", "nameSuffix", "namespace"} {
		if v, ok := k[field]; ok {
			out = append(out, setting{[]string{field}, v, -1})
		}
	}
	for _, field := range []string{"commonLabels", "commonAnnotations"} {
		values, _ := k[field].(map[string]any)
		for key, v := range values {
			out = append(out, setting{[]string{field, key}, v, -1})
		}
	}
	for i, entry := range k.list("labels") {
		m, _ := entry.(map[string]any)
		pairs, _ := m["pairs"].(map[string]any)
		for key, v := range pairs {
			out = append(out, setting{[]string{"labels", key}, v, i})
		}
	}
	for _, field := range []string{"images", "replicas", "configMapGenerator", "helmCharts"} {
		for i, entry := range k.list(field) {
			m, _ := entry.(map[string]any)
			out = append(out, setting{[]string{field, fmt.Sprint(m["name"])}, said(field, m), i})
		}
	}
	for _, field := range []string{"components", "patches", "patchesStrategicMerge", "patchesJson6902", "transformers"} {
		for i, entry := range k.list(field) {
			out = append(out, setting{[]string{field, strconv.Itoa(i + 1)}, about(entry), i})
		}
	}
	return out
}

// said is what an entry says of its name.
func said(field string, m map[string]any) any {
	switch field {
	case "replicas":
		return m["count"]
	case "images":
		text := fmt.Sprint(m["name"])
		if name, ok := m["newName"]; ok {
			text = fmt.Sprint(name)
		}
		if tag, ok := m["newTag"]; ok {
			text += ":" + fmt.Sprint(tag)
		}
		if digest, ok := m["digest"]; ok {
			text += "@" + fmt.Sprint(digest)
		}
		return text
	case "helmCharts":
		repo, _ := about(m["repo"]).(string)
		return about(map[string]any{"repo": repo, "version": m["version"]})
	}
	files, literals, envs := m["files"], m["literals"], m["envs"]
	count := 0
	for _, list := range []any{files, literals, envs} {
		items, _ := list.([]any)
		count += len(items)
	}
	return fmt.Sprintf("%d entries", count)
}

// about is an entry without its text and without logins in addresses: what a patch
// writes may be secret.
func about(entry any) any {
	m, ok := entry.(map[string]any)
	if !ok {
		text, isText := entry.(string)
		switch {
		case strings.ContainsAny(text, "\n{"): // a patch has a brace where it is one line
			return "inline"
		case isText:
			return public(text)
		}
		return entry
	}
	out := map[string]any{}
	for key, v := range m {
		switch {
		case v == nil:
		case key == "patch":
			out[key] = "inline"
		default:
			out[key] = v
		}
	}
	return out
}

// lines finds where a setting stands.
type lines struct {
	root *yaml.Node
	// known are the places of the keys of mappings.
	known map[*yaml.Node]map[string]int
}

// linesOf reads a text. One that cannot be read has no lines.
func linesOf(text []byte) lines {
	if _, err := bounded.Check(text); err != nil {
		return lines{}
	}
	var doc yaml.Node
	if yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc) != nil || len(doc.Content) == 0 {
		return lines{}
	}
	return lines{doc.Content[0], map[*yaml.Node]map[string]int{}}
}

// of is a line from 1; 0 when it is not known.
func (l lines) of(s setting) int {
	key, node := l.keyOf(l.root, s.path[0])
	if node == nil {
		return 0
	}
	if s.index >= 0 {
		if node.Kind != yaml.SequenceNode || s.index >= len(node.Content) {
			return key.Line
		}
		key, node = node.Content[s.index], node.Content[s.index]
		if s.path[0] != "labels" {
			return key.Line
		}
		if _, pairs := l.keyOf(node, "pairs"); pairs != nil {
			node = pairs
		}
	}
	if len(s.path) > 1 {
		if inner, _ := l.keyOf(node, s.path[1]); inner != nil {
			return inner.Line
		}
	}
	return key.Line
}

func (l lines) keyOf(node *yaml.Node, name string) (key, value *yaml.Node) {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil, nil
	}
	if l.known[node] == nil {
		l.known[node] = places(node.Content)
	}
	i, ok := l.known[node][name]
	if !ok {
		return nil, nil
	}
	return node.Content[i], node.Content[i+1]
}

// places are those of keys, of which the first one of a text counts.
func places(content []*yaml.Node) map[string]int {
	out := map[string]int{}
	for i := 0; i+1 < len(content); i += 2 {
		if _, before := out[content[i].Value]; !before {
			out[content[i].Value] = i
		}
	}
	return out
}
