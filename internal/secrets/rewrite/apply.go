package rewrite

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

// Apply is what operations make of values, one after the other.
func Apply(operations []esv1.Rewrite, data map[string][]byte) (map[string][]byte, error) {
	out := maps.Clone(data)
	if out == nil {
		out = map[string][]byte{}
	}
	for i, one := range operations {
		var err error
		if out, err = apply(one, out); err != nil {
			return nil, fmt.Errorf("rewrite[%d]: %w", i, err)
		}
	}
	return out, nil
}

func apply(one esv1.Rewrite, data map[string][]byte) (map[string][]byte, error) {
	switch {
	case one.Merge != nil:
		return merge(*one.Merge, data)
	case one.Regexp != nil:
		return replace(*one.Regexp, data)
	case one.Transform != nil:
		return transform(*one.Transform, data)
	default:
		return data, nil
	}
}

func replace(one esv1.RewriteRegexp, data map[string][]byte) (map[string][]byte, error) {
	source, err := regexp.Compile(one.Source)
	if err != nil {
		return nil, fmt.Errorf("regexp.source: %w", err)
	}
	return rename(data, func(key string) (string, error) { return source.ReplaceAllString(key, one.Target), nil })
}

func transform(one esv1.RewriteTransform, data map[string][]byte) (map[string][]byte, error) {
	parsed, err := template.Parse("transform", one.Template)
	if err != nil {
		return nil, fmt.Errorf("transform.template: %w", err)
	}
	return rename(data, func(key string) (string, error) {
		var out strings.Builder
		if err := parsed.Execute(&out, map[string]any{"value": key}); err != nil {
			return "", fmt.Errorf("transform.template, of the key %q: %w", key, err)
		}
		return out.String(), nil
	})
}

func rename(data map[string][]byte, name func(string) (string, error)) (map[string][]byte, error) {
	out := make(map[string][]byte, len(data))
	for _, key := range slices.Sorted(maps.Keys(data)) {
		to, err := name(key)
		if err != nil {
			return nil, err
		}
		out[to] = data[key]
	}
	return out, nil
}
