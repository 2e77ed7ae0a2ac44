package apply

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// jqWithin bounds one jq expression.
const jqWithin = time.Second

// forget takes out of object what does not count. live tells which fields the
// ignored managers own.
func forget(ctx context.Context, object map[string]any, live *unstructured.Unstructured, ignore gitops.Ignore) error {
	// The top level is the caller's own; what is below may be shared.
	for key, v := range object {
		object[key] = runtime.DeepCopyJSONValue(v)
	}
	for _, pointer := range ignore.JSONPointers {
		forgetPointer(object, pointer)
	}
	for _, entry := range live.GetManagedFields() {
		if !slices.Contains(ignore.Managers, entry.Manager) || entry.FieldsV1 == nil {
			continue
		}
		var set fieldpath.Set
		if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return fmt.Errorf("cannot read the fields of manager %q: %w", entry.Manager, err)
		}
		set.Iterate(func(p fieldpath.Path) { forgetPath(object, p) })
	}
	return forgetJQ(ctx, object, ignore.JQ)
}

func forgetJQ(ctx context.Context, object map[string]any, expressions []string) error {
	for _, expression := range expressions {
		query, err := gojq.Parse("del(" + expression + ")")
		if err != nil {
			return fmt.Errorf("cannot read the jq path expression %q of ignoreDifferences: %w", expression, err)
		}
		within, cancel := context.WithTimeout(ctx, jqWithin)
		result, ok := query.RunWithContext(within, numbers(object)).Next()
		cancel()
		// An expression that does not fit this object ignores nothing.
		if next, isMap := result.(map[string]any); ok && isMap {
			clear(object)
			for key, v := range next {
				object[key] = v
			}
		}
	}
	return nil
}

// numbers turns whole numbers into the type that gojq knows, in place.
func numbers(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case map[string]any:
		for key, item := range v {
			v[key] = numbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = numbers(item)
		}
	}
	return v
}

// forgetPointer takes out what an RFC 6901 pointer names.
func forgetPointer(object map[string]any, pointer string) {
	if !strings.HasPrefix(pointer, "/") {
		return
	}
	parts := strings.Split(pointer[1:], "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(parts[i], "~1", "/"), "~0", "~")
	}
	without(object, parts, func(v any, part string) int {
		list, _ := v.([]any)
		if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(list) {
			return i
		}
		return -1
	})
}

// forgetPath takes out what a path of managedFields names.
func forgetPath(object map[string]any, path fieldpath.Path) {
	without(object, path, func(v any, e fieldpath.PathElement) int {
		list, _ := v.([]any)
		return slices.IndexFunc(list, func(item any) bool { return names(e, item) })
	})
}

func names(e fieldpath.PathElement, item any) bool {
	if e.Value != nil {
		return reflect.DeepEqual((*e.Value).Unstructured(), item)
	}
	m, ok := item.(map[string]any)
	if e.Key == nil || !ok {
		return false
	}
	for _, field := range *e.Key {
		if !value.Equals(field.Value, value.NewValueInterface(m[field.Name])) {
			return false
		}
	}
	return true
}

// without removes the element at the end of a path. Lists are looked into by index.
func without[E any](v any, path []E, index func(list any, element E) int) any {
	if len(path) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		key := fieldName(path[0])
		child, ok := v[key]
		switch {
		case !ok:
		case len(path) == 1:
			delete(v, key)
		default:
			v[key] = without(child, path[1:], index)
		}
		return v
	case []any:
		i := index(v, path[0])
		switch {
		case i < 0:
			return v
		case len(path) == 1:
			return slices.Delete(v, i, i+1)
		}
		v[i] = without(v[i], path[1:], index)
		return v
	}
	return v
}

func fieldName(element any) string {
	switch e := element.(type) {
	case string:
		return e
	case fieldpath.PathElement:
		if e.FieldName != nil {
			return *e.FieldName
		}
	}
	return "\x00"
}
