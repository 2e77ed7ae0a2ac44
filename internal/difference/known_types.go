package difference

import (
	"reflect"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// know adds a field; a type that nobody knows is left out, as in Argo CD.
func (s *Settings) know(gk groupKind, f gitops.TypedField) {
	if typeNamed(f.Type) != nil {
		s.known[gk] = append(s.known[gk], f)
	}
}

// knowRollouts adds what Argo CD knows by itself.
func (s *Settings) knowRollouts() {
	rollout := groupKind{"argoproj.io", "Rollout"}
	if len(s.known[rollout]) == 0 {
		s.known[rollout] = []gitops.TypedField{{Field: "spec.template.spec", Type: "core/v1/PodSpec"}}
	}
}

// typeNamed finds a type by its name in knownTypeFields: core/v1/PodSpec,
// core/Quantity, meta/v1/Duration. nil is none.
func typeNamed(name string) reflect.Type {
	switch name {
	case "core/Quantity":
		return reflect.TypeFor[resource.Quantity]()
	case "meta/v1/Duration":
		return reflect.TypeFor[metav1.Duration]()
	}
	short, ok := strings.CutPrefix(name, "core/v1/")
	if !ok {
		return nil
	}
	return coreTypes()[short]
}

// coreTypes are the types of the core group's Go package that its kinds are
// made of, by name.
var coreTypes = sync.OnceValue(func() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, t := range scheme.Scheme.KnownTypes(corev1.SchemeGroupVersion) {
		collect(out, t)
	}
	return out
})

func collect(out map[string]reflect.Type, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if t.PkgPath() == corePackage { // ResourceList is a map with a name
			out[t.Name()] = t
		}
		collect(out, t.Elem())
		return
	case reflect.Struct:
	default:
		if t.PkgPath() == corePackage {
			out[t.Name()] = t
		}
		return
	}
	if _, seen := out[t.Name()]; seen || t.PkgPath() != corePackage {
		return
	}
	out[t.Name()] = t
	for i := range t.NumField() {
		collect(out, t.Field(i).Type)
	}
}

var corePackage = reflect.TypeFor[corev1.Pod]().PkgPath()

// RewriteTyped writes fields as their Go types write them, in place. A value
// that does not fit its type stays as it is, and so do the fields after it.
func RewriteTyped(object map[string]any, fields []gitops.TypedField) {
	for _, f := range fields {
		as := typeNamed(f.Type)
		if as == nil || rewriteAt(object, strings.Split(f.Field, "."), as) != nil {
			return
		}
	}
}

// rewriteAt follows a path; through lists it goes into each of their elements.
func rewriteAt(v map[string]any, path []string, as reflect.Type) error {
	child, ok := v[path[0]]
	if !ok || child == nil {
		return nil
	}
	if items, isList := child.([]any); isList {
		return rewriteItems(items, path[1:], as)
	}
	if len(path) > 1 {
		if next, isMap := child.(map[string]any); isMap {
			return rewriteAt(next, path[1:], as)
		}
		return nil
	}
	next, err := rewritten(child, as)
	if err == nil {
		v[path[0]] = next
	}
	return err
}

func rewriteItems(items []any, path []string, as reflect.Type) error {
	for i, item := range items {
		next, isMap := item.(map[string]any)
		if !isMap {
			continue
		}
		if len(path) > 0 {
			if err := rewriteAt(next, path, as); err != nil {
				return err
			}
			continue
		}
		value, err := rewritten(next, as)
		if err != nil {
			return err
		}
		items[i] = value
	}
	return nil
}
