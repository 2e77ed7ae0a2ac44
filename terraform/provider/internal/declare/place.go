package declare

import (
	"fmt"
	"maps"
	"strings"

	"sigs.k8s.io/yaml"
)

// place writes attributes to their paths.
func place(o map[string]any, fields []Field, given map[string]any) {
	for _, f := range fields {
		v, ok := given[f.Name]
		if !ok || v == nil || f.Path == "" || f.WriteOnly {
			continue
		}
		put(o, strings.Split(f.Path, "."), f.shaped(v))
	}
}

// shaped is an attribute's value as the object has it.
func (f Field) shaped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if f.Shape == Object {
			out := map[string]any{}
			place(out, f.Fields, v)
			return out
		}
		out := maps.Clone(v)
		maps.DeleteFunc(out, func(_ string, e any) bool { return e == nil })
		return out
	case []any:
		if f.Shape != Objects {
			return v
		}
		out := make([]any, 0, len(v))
		for _, e := range v {
			one, _ := e.(map[string]any)
			made := map[string]any{}
			place(made, f.Fields, one)
			out = append(out, made)
		}
		return out
	}
	return v
}

// put sets a path; objects are merged into those of a manifest.
func put(o map[string]any, path []string, v any) {
	for _, p := range path[:len(path)-1] {
		next, ok := o[p].(map[string]any)
		if !ok {
			next = map[string]any{}
			o[p] = next
		}
		o = next
	}
	last := path[len(path)-1]
	have, isMap := o[last].(map[string]any)
	more, alsoMap := v.(map[string]any)
	if !isMap || !alsoMap {
		o[last] = v
		return
	}
	for key, e := range more {
		put(have, []string{key}, e)
	}
}

// parseDocuments replaces the texts of documents by what they say, in place.
func parseDocuments(fields []Field, given map[string]any) error {
	for _, f := range fields {
		v, ok := given[f.Name]
		if !ok || v == nil {
			continue
		}
		if err := f.parse(given, v); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

func (f Field) parse(given map[string]any, v any) error {
	switch v := v.(type) {
	case string:
		if f.Shape != Document {
			return nil
		}
		if len(v) > maxManifest {
			return fmt.Errorf("it has %d bytes; an object has at most %d", len(v), maxManifest)
		}
		var parsed any
		if err := yaml.UnmarshalStrict([]byte(v), &parsed); err != nil {
			return fmt.Errorf("it is neither YAML nor JSON: %w", err)
		}
		given[f.Name] = whole(parsed)
	case map[string]any:
		if f.Shape == Object {
			return parseDocuments(f.Fields, v)
		}
	case []any:
		if f.Shape != Objects {
			return nil
		}
		for i, e := range v {
			one, _ := e.(map[string]any)
			if err := parseDocuments(f.Fields, one); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	}
	return nil
}
