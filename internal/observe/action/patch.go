package action

import (
	"math"
	"reflect"
)

// like gives a value that went through Lua the types that the original has:
// an empty table may have been a map, and numbers were whole.
func like(value, original any) any {
	switch v := value.(type) {
	case []any:
		return listLike(v, original)
	case map[string]any:
		before, _ := original.(map[string]any)
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = like(item, before[key])
		}
		return out
	case float64:
		return numberLike(v, original)
	}
	return value
}

func listLike(list []any, original any) any {
	before, _ := original.([]any)
	if _, wasMap := original.(map[string]any); wasMap && len(list) == 0 {
		return map[string]any{}
	}
	out := make([]any, 0, len(list))
	for i, item := range list {
		out = append(out, like(item, counterpart(before, i, item)))
	}
	return out
}

// counterpart is what an item of a list was made of: the one of its name, as scripts add
// items and take them away, or else the one in its place.
func counterpart(before []any, i int, item any) any {
	var here any
	if i < len(before) {
		here = before[i]
	}
	name := nameOf(item)
	if name == "" || nameOf(here) == name {
		return here
	}
	for _, old := range before {
		if nameOf(old) == name {
			return old
		}
	}
	return here
}

func nameOf(item any) string {
	m, _ := item.(map[string]any)
	return text(m["name"])
}

// maxWhole is the largest number up to which a float has every whole one.
const maxWhole = 1 << 53

// numberLike keeps whole numbers that are too large for a float, when the
// script left them as they were.
func numberLike(f float64, original any) any {
	if n, ok := original.(int64); ok && float64(n) == f {
		return n
	}
	if f == math.Trunc(f) && math.Abs(f) <= maxWhole {
		return int64(f)
	}
	return f
}

// without leaves out the status, and what only the API server writes.
func without(o map[string]any) map[string]any {
	out := make(map[string]any, len(o))
	for key, value := range o {
		if key != "status" {
			out[key] = value
		}
	}
	if meta, ok := o["metadata"].(map[string]any); ok {
		less := make(map[string]any, len(meta))
		for key, value := range meta {
			if key != "managedFields" {
				less[key] = value
			}
		}
		out["metadata"] = less
	}
	return out
}

// patch is the JSON merge patch (RFC 7396) that makes one map of another; nil
// when they are equal. To Lua, null and nothing are the same.
func patch(before, after map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range after {
		old, had := before[key]
		a, isMap := value.(map[string]any)
		b, wasMap := old.(map[string]any)
		switch {
		case isMap && wasMap:
			if p := patch(b, a); p != nil {
				out[key] = p
			}
		case !had || !reflect.DeepEqual(old, value):
			out[key] = value
		}
	}
	for key, old := range before {
		if _, kept := after[key]; !kept && old != nil {
			out[key] = nil
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
