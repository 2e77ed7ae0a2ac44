package rewrite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

// merge makes one object of the objects that all values are.
func merge(one esv1.RewriteMerge, data map[string][]byte) (map[string][]byte, error) {
	order, err := precedence(one, data)
	if err != nil {
		return nil, err
	}
	fields, err := join(one, order, data)
	if err != nil {
		return nil, err
	}
	switch one.Strategy {
	case "", esv1.MergeExtract:
		return extract(fields)
	case esv1.MergeJSON:
		return intoKey(one.Into, fields, data)
	default:
		return map[string][]byte{}, nil
	}
}

// precedence are the keys in the order of their weight, the heaviest last.
func precedence(one esv1.RewriteMerge, data map[string][]byte) ([]string, error) {
	var heavy []string
	for _, key := range one.Priority {
		if _, ok := data[key]; ok {
			heavy = append(heavy, key)
		} else if one.PriorityPolicy != esv1.PriorityIgnoreNotFound {
			return nil, fmt.Errorf("merge failed with key %q not found in input map: take it off priority, or set priorityPolicy: IgnoreNotFound", key)
		}
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(data)), func(key string) bool { return slices.Contains(heavy, key) })
	return append(others, heavy...), nil
}

func join(one esv1.RewriteMerge, order []string, data map[string][]byte) (map[string]any, error) {
	fields, twice := map[string]any{}, map[string]bool{}
	for _, key := range order {
		var object map[string]any
		if err := value.Parse(data[key], &object); err != nil {
			return nil, fmt.Errorf("merge wants a JSON object in each value; that of the key %q: %w", key, err)
		}
		for name, field := range object {
			if _, there := fields[name]; there {
				twice[name] = true
			}
			fields[name] = field
		}
	}
	if len(twice) > 0 && one.ConflictPolicy != esv1.ConflictIgnore {
		return nil, fmt.Errorf("merge failed with conflicts: %s: set conflictPolicy: Ignore, with the keys that win last in priority",
			strings.Join(slices.Sorted(maps.Keys(twice)), ", "))
	}
	return fields, nil
}

func extract(fields map[string]any) (map[string][]byte, error) {
	out := make(map[string][]byte, len(fields))
	for name := range fields {
		text, err := value.OfField(fields, name)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		out[name] = text
	}
	return out, nil
}

func intoKey(into string, fields map[string]any, data map[string][]byte) (map[string][]byte, error) {
	if into == "" {
		return nil, fmt.Errorf("merge with the strategy %s has no key to put the object into: set into", esv1.MergeJSON)
	}
	var object bytes.Buffer
	encoder := json.NewEncoder(&object)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fields); err != nil {
		return nil, err
	}
	out := maps.Clone(data)
	if out == nil {
		out = map[string][]byte{}
	}
	out[into] = bytes.TrimSuffix(object.Bytes(), []byte("\n"))
	return out, nil
}
