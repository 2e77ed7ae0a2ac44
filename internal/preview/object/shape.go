package object

import (
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// shape says what is known of the values at one place of an object: a Go
// type of Kubernetes, the schema of a custom resource, or nothing.
type shape struct {
	goType reflect.Type
	schema map[string]any
	list   listRule
	// resources is how deep the place is in a field called resources, where
	// custom resources keep quantities, too: 1 is the field itself.
	resources int
}

// listRule is how Kubernetes merges a list.
type listRule struct {
	// keys tell items apart; none means by position or by value.
	keys []string
	// set is a list of scalars without an order.
	set bool
	// ordered lists have keys, but their order matters all the same.
	ordered bool
}

// builtinShape is the Go type of a kind, if Kubernetes has it. A kind's
// fields are those of any version that is known, as charts lag behind.
func builtinShape(gvk schema.GroupVersionKind) (shape, bool) {
	t, ok := scheme.Scheme.AllKnownTypes()[gvk]
	return shape{goType: t}, ok
}

var quantityType = reflect.TypeFor[resource.Quantity]()

// field is the shape of a mapping's value.
func (s shape) field(name string) shape {
	switch {
	case s.goType != nil:
		return goField(s.goType, name)
	case s.schema != nil:
		return s.inside(name, schemaField(s.schema, name))
	}
	return s.inside(name, shape{})
}

// inside keeps track of resources.{limits,requests}.
func (s shape) inside(name string, child shape) shape {
	switch {
	case name == "resources":
		child.resources = 1
	case s.resources == 1 && (name == "limits" || name == "requests"), s.resources == 2:
		child.resources = s.resources + 1
	}
	return child
}

// item is the shape of a list's items.
func (s shape) item() shape {
	if s.goType != nil {
		if t := pointed(s.goType); t.Kind() == reflect.Slice {
			return shape{goType: t.Elem()}
		}
		return shape{}
	}
	if items, ok := s.schema["items"].(map[string]any); ok {
		return schemaShape(items)
	}
	return shape{}
}

// quantity reports whether 1 and "1000m" mean the same here.
func (s shape) quantity() bool {
	return s.resources == 3 || (s.goType != nil && pointed(s.goType) == quantityType)
}

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// goFields caches the fields of struct types by their JSON names; they do
// not change while a process runs.
var goFields sync.Map // reflect.Type → map[string]shape

func goField(t reflect.Type, name string) shape {
	t = pointed(t)
	switch t.Kind() {
	case reflect.Map:
		return shape{goType: t.Elem()}
	case reflect.Struct:
	default:
		return shape{}
	}
	known, ok := goFields.Load(t)
	if !ok {
		known, _ = goFields.LoadOrStore(t, fieldsOf(t))
	}
	fields, _ := known.(map[string]shape)
	return fields[name]
}

func fieldsOf(t reflect.Type) map[string]shape {
	out := map[string]shape{}
	for f := range fields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous && strings.Contains(options, "inline") {
			for k, v := range fieldsOf(pointed(f.Type)) {
				out[k] = v
			}
			continue
		}
		out[name] = shape{goType: f.Type, list: goList(name, f)}
	}
	return out
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// secondKeys belong to merge keys that server-side apply does not hold for
// enough; the struct tags have only the first key of a list.
var secondKeys = map[string]string{"containerPort": "protocol", "port": "protocol", "topologyKey": "whenUnsatisfiable"}

// orderedFields have a merge key although their order has a meaning:
// initContainers run one after the other, and $(VARS) see what is before them.
var orderedFields = map[string]bool{"initContainers": true, "env": true}

// goList reads how a list is merged from its struct tags.
func goList(name string, f reflect.StructField) listRule {
	if f.Type.Kind() != reflect.Slice || !strings.Contains(f.Tag.Get("patchStrategy"), "merge") {
		return listRule{}
	}
	key := f.Tag.Get("patchMergeKey")
	if key == "" {
		return listRule{set: true}
	}
	out := listRule{keys: []string{key}, ordered: orderedFields[name]}
	if second := secondKeys[key]; second != "" {
		out.keys = append(out.keys, second)
	}
	return out
}
