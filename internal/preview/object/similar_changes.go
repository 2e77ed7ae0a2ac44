package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// Own is what an application calls its own.
type Own struct {
	Application string
	// Cluster and Server are its destination, Namespace is where its objects
	// go that name none.
	Cluster, Server, Namespace string
	// Manifests are what it has on both sides, changed or not.
	Manifests []gitops.Manifest
}

// Alike writes a change down. Two applications have the same text when they
// change in the same way but for their own names: only where a name stands as
// a name, something stands in for it. Fields are those of the Application.
func Alike(own Own, fields []forecast.Field, c Comparison) (string, error) {
	n := newStandIns(own, c.Objects)
	out := alike{Fields: n.fields(subject{application: true}, fields)}
	shown := map[string]string{}
	for _, o := range c.Objects {
		out.Objects = append(out.Objects, n.object(o, shown))
	}
	for _, r := range c.Risks {
		out.Risks = append(out.Risks, forecast.Risk{Kind: r.Kind, Object: known(shown, r.Object), Message: literal(r.Message)})
	}
	for _, i := range c.Images {
		image := forecast.Image{Old: literal(i.Old), New: literal(i.New)}
		for _, o := range i.Objects {
			image.Objects = append(image.Objects, known(shown, o))
		}
		out.Images = append(out.Images, image)
	}
	text, err := json.Marshal(out.sorted())
	if err != nil {
		return "", fmt.Errorf("cannot write a change down: %w", err)
	}
	return string(text), nil
}

// alike is a change with stand-ins. Its lists are sorted as they are written,
// because names decide the order in a comparison.
type alike struct {
	Fields  []any
	Objects []any
	Risks   []forecast.Risk
	Images  []forecast.Image
}

func (a alike) sorted() alike {
	byText(a.Objects)
	byText(a.Risks)
	for i := range a.Images {
		slices.Sort(a.Images[i].Objects)
	}
	byText(a.Images)
	return a
}

func byText[T any](list []T) {
	slices.SortStableFunc(list, func(a, b T) int { return bytes.Compare(asJSON(a), asJSON(b)) })
}

// asJSON is nil for what cannot be written, which Alike refuses as a whole.
func asJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// known is a label of an object with stand-ins, where the change has the object.
func known(shown map[string]string, label string) string {
	if text, ok := shown[label]; ok {
		return text
	}
	return literal(label)
}

// object is what becomes of one object, without the place where it is written.
// Its labels, as risks and images have them, are added to those that are shown.
func (n *standIns) object(o forecast.Object, shown map[string]string) any {
	s := subject{group: o.Group, kind: o.Kind, namespace: o.Namespace}
	name, namespace := n.identity(s, o.Name), n.inName(o.Namespace)
	shown[gitops.ObjectName(o.Kind, o.Namespace, o.Name)] = gitops.ObjectName(literal(o.Kind), namespace, name)
	shown[o.Kind+"/"+o.Name] = literal(o.Kind) + "/" + name
	return []any{
		o.Change, literal(o.Group), literal(o.Version), literal(o.Kind), namespace, name,
		n.fields(s, o.Fields), o.Omitted, n.manifest(s, o.Manifest),
	}
}

// manifest is a whole object with stand-ins; the text as it is where there is
// none in it, or where it cannot be read because it was cut.
func (n *standIns) manifest(s subject, text string) any {
	if !n.in(text) {
		return literal(text)
	}
	object, err := read(text)
	if err != nil {
		return literal(text)
	}
	before := n.placed
	out := make(map[string]any, len(object))
	for key, v := range object {
		out[literal(key)] = n.part(s, key, v)
	}
	if n.placed == before {
		return literal(text)
	}
	return []any{out, literal(leftOut(text))}
}

func read(text string) (map[string]any, error) {
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("cannot read a manifest: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("cannot read a manifest: %w", err)
	}
	return out, nil
}

// part is a field at the top of an object.
func (n *standIns) part(s subject, key string, v any) any {
	metadata, ok := v.(map[string]any)
	if key != "metadata" || !ok {
		return n.value(s, []string{key}, v)
	}
	out := make(map[string]any, len(metadata))
	for k, v := range metadata {
		text, isText := v.(string)
		switch {
		case k == "name" && isText:
			out[k] = n.identity(s, text)
		case k == "namespace" && isText:
			out[k] = n.inName(text)
		default:
			out[literal(k)] = n.value(s, []string{key, k}, v)
		}
	}
	return out
}

// value is what stands below some keys, with stand-ins.
func (n *standIns) value(s subject, keys []string, v any) any {
	if s.rbac() && keys[0] != "metadata" {
		return n.grant(s, keys, v)
	}
	switch v := v.(type) {
	case string:
		return n.text(s, keys, v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.value(s, keys, v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		item, _ := v["name"].(string)
		for k, child := range v {
			out[literal(k)] = n.value(s, append(slices.Clip(keys), meant(k, item)), child)
		}
		return out
	}
	return v
}

// meant is a key of an item of a list: for the value of a variable it is the
// variable's name.
func meant(key, item string) string {
	if key == "value" && item != "" {
		return item
	}
	return key
}

// fields are the changed fields of an object. Of a text of many lines only
// those lines are the change that differ.
func (n *standIns) fields(s subject, all []forecast.Field) []any {
	out := make([]any, 0, len(all))
	for _, f := range all {
		path, keys := n.path(s, f.Path)
		if len(keys) == 0 {
			out = append(out, literalField(f))
			continue
		}
		old, isText := f.Old.(string)
		head, isTextToo := f.New.(string)
		if isText && isTextToo && strings.Contains(old, "\n") && strings.Contains(head, "\n") {
			line, was, is := differing(old, head)
			out = append(out, []any{path, f.Masked, line, n.value(s, keys, was), n.value(s, keys, is)})
			continue
		}
		out = append(out, []any{path, f.Masked, n.value(s, keys, f.Old), n.value(s, keys, f.New)})
	}
	return out
}

func literalField(f forecast.Field) any {
	return []any{literal(f.Path), f.Masked, literals(f.Old), literals(f.New)}
}

// differing is the first line that differs, and what differs without the lines
// that both texts have before and after it.
func differing(a, b string) (line int, old, head string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
		line++
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return line, strings.Join(x, ""), strings.Join(y, "")
}
