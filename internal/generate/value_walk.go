package generate

import "reflect"

// allEnd reports whether values are trees of bearable size. One that contains
// itself is not.
func allEnd(values []reflect.Value) bool {
	_, ok := nodes(values)
	return ok
}

// nodes counts the values inside one another; false where they do not end.
func nodes(values []reflect.Value) (int, bool) {
	const most, depth = 1_000_000, 1_000
	left := most
	for _, v := range values {
		if !ends(v, depth, &left) {
			return 0, false
		}
	}
	return most - left, true
}

func ends(v reflect.Value, depth int, left *int) bool {
	*left--
	if depth == 0 || *left < 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || ends(v.Elem(), depth-1, left)
	case reflect.Map:
		if simple(v.Type().Elem()) {
			return true
		}
		for items := v.MapRange(); items.Next(); {
			if !ends(items.Value(), depth-1, left) {
				return false
			}
		}
	case reflect.Slice:
		if simple(v.Type().Elem()) {
			return true
		}
		for i := range v.Len() {
			if !ends(v.Index(i), depth-1, left) {
				return false
			}
		}
	default: // holds no further value
	}
	return true
}

func simple(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Struct, reflect.Array:
		return false
	default:
		return true
	}
}
