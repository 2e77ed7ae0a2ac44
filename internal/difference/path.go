package difference

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// element finds the element of a list that a path names; -1 when there is none.
func element(list []any, e fieldpath.PathElement) int {
	if e.Index != nil {
		if *e.Index >= 0 && *e.Index < len(list) {
			return *e.Index
		}
		return -1
	}
	return slices.IndexFunc(list, func(item any) bool { return names(e, item) })
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

// under reports whether a path lies at or below a pointer, whose "*" stands for
// any field or element. Elements of lists are numbered as object has them.
func under(path fieldpath.Path, parts []string, object any) bool {
	if len(parts) > len(path) {
		return false
	}
	for i, part := range parts {
		switch v := object.(type) {
		case []any:
			at := element(v, path[i])
			if part != "*" && (at < 0 || index(part, len(v)) != at) {
				return false
			}
			object = nil
			if at >= 0 {
				object = v[at]
			}
		default:
			name := path[i].FieldName
			if name == nil && part != "*" || name != nil && part != "*" && part != *name {
				return false
			}
			m, _ := v.(map[string]any)
			object = nil
			if name != nil {
				object = m[*name]
			}
		}
	}
	return true
}

// Content copies an object without its status and what the API server keeps
// for itself: what people mean by it. The copy shares nothing.
func Content(object map[string]any) map[string]any {
	out := Whole(object)
	delete(out, "status")
	return out
}

// Whole is Content with the status, for those to whom that counts.
func Whole(object map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(object)
	metadata, ok := out["metadata"].(map[string]any)
	if !ok {
		return out
	}
	for _, field := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"} {
		delete(metadata, field)
	}
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok {
		return out
	}
	if delete(annotations, gitops.AnnotationLastApplied); len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return out
}
