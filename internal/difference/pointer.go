package difference

import (
	"slices"
	"strconv"
	"strings"
)

// PointerParts splits an RFC 6901 pointer; nil when it names no field.
func PointerParts(pointer string) []string {
	if !strings.HasPrefix(pointer, "/") {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(parts[i], "~1", "/"), "~0", "~")
	}
	return parts
}

// ForgetPointer takes out of an object what a pointer names, in place. Lists
// on the way are replaced, not changed. A path that is not there is no error.
func ForgetPointer(object map[string]any, pointer string) {
	if parts := PointerParts(pointer); len(parts) > 0 {
		without(object, parts)
	}
}

func without(v any, parts []string) any {
	switch v := v.(type) {
	case map[string]any:
		child, ok := v[parts[0]]
		switch {
		case !ok:
		case len(parts) == 1:
			delete(v, parts[0])
		default:
			v[parts[0]] = without(child, parts[1:])
		}
		return v
	case []any:
		i := index(parts[0], len(v))
		switch {
		case i < 0:
			return v
		case len(parts) == 1:
			return slices.Delete(slices.Clone(v), i, i+1)
		}
		v = slices.Clone(v)
		v[i] = without(v[i], parts[1:])
		return v
	}
	return v
}

// index reads the index of a list; a negative one counts from its end. It is
// -1 for what names no element.
func index(part string, size int) int {
	i, err := strconv.Atoi(part)
	if err != nil || i >= size || i < -size {
		return -1
	}
	if i < 0 {
		return i + size
	}
	return i
}
