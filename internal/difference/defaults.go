package difference

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

// setDefaults fills in what the API server writes where a manifest is silent,
// as the documentation of the kinds has it, in place. Outer structs come
// first: some of their defaults make inner structs.
func setDefaults(o runtime.Object) { fill(reflect.ValueOf(o)) }

func fill(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the others have nothing inside
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.Struct:
		if v.CanAddr() && v.Addr().CanInterface() {
			fillStruct(v.Addr().Interface())
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	}
}

func fillStruct(o any) {
	_ = fillPod(o) || fillVolume(o) || fillCore(o) || fillWorkload(o) || fillRest(o)
}

// or gives a field a value where it has none.
func or[T comparable](field *T, value T) {
	var none T
	if *field == none {
		*field = value
	}
}

// orPointer gives a pointer field a value where it has none.
func orPointer[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
