package gitops

import (
	"encoding/json"
	"math"
)

// PlainMap copies a mapping in the few forms that JSON has: null is absent,
// numbers have one form.
func PlainMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if v = Plain(v); v != nil {
			out[k] = v
		}
	}
	return out
}

// Plain is the same for any value, also of other Go types.
func Plain(v any) any {
	switch v := v.(type) {
	case nil, string, bool, int64:
		return v
	case map[string]any:
		return PlainMap(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = Plain(v[i])
		}
		return out
	case int:
		return int64(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
		return v
	}
	return viaJSON(v)
}

// viaJSON brings values of other Go types into the few that YAML and JSON have.
func viaJSON(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return Plain(out)
}
