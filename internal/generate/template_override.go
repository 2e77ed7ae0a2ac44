package generate

import (
	"reflect"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// overridden fills the empty fields of a generator's own template from the
// set's. Maps are joined by key, lists are not joined; false, 0 and an empty
// text count as empty, so they cannot win.
func overridden(own, base *v1alpha1.ApplicationSetTemplate) *v1alpha1.ApplicationSetTemplate {
	out := own.DeepCopy()
	fill(reflect.ValueOf(out).Elem(), reflect.ValueOf(base.DeepCopy()).Elem())
	return out
}

func fill(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Pointer:
		if to.IsNil() {
			to.Set(from)
			return
		}
		if !from.IsNil() {
			fill(to.Elem(), from.Elem())
		}
	case reflect.Struct:
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				fill(to.Field(i), from.Field(i))
			}
		}
	case reflect.Map:
		fillMap(to, from)
	case reflect.Slice:
		if to.Len() == 0 {
			to.Set(from)
		}
	default:
		if to.IsZero() {
			to.Set(from)
		}
	}
}

func fillMap(to, from reflect.Value) {
	if to.IsNil() {
		to.Set(from)
		return
	}
	for _, key := range from.MapKeys() {
		if had := to.MapIndex(key); !had.IsValid() || had.IsZero() {
			to.SetMapIndex(key, from.MapIndex(key))
		}
	}
}
