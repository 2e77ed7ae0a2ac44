package document

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// asJSON is a value that the YAML library read as JSON would have it, had it
// been written and read again: numbers are int64 where they are whole and fit,
// else float64, keys are texts. ok is false for what JSON has another form
// for, or none; the value is then written as JSON to see.
func asJSON(value any) (out any, ok bool) {
	switch v := value.(type) {
	case nil, bool:
		return v, true
	case string:
		return v, utf8.ValidString(v)
	case int:
		return int64(v), true
	case int64:
		return v, true
	case float64:
		return number(v)
	case []any:
		return list(v)
	case map[any]any:
		return mapping(v)
	case time.Time:
		return nil, false
	}
	return nil, false
}

// number is what is left of a number in JSON, which writes whole ones below
// 1e21 without a point.
func number(f float64) (any, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f), true
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		n, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64)
		if err == nil {
			return n, true
		}
	}
	return f, true
}

func list(v []any) (any, bool) {
	out := make([]any, len(v))
	for i, item := range v {
		below, ok := asJSON(item)
		if !ok {
			return nil, false
		}
		out[i] = below
	}
	return out, true
}

func mapping(v map[any]any) (any, bool) {
	out := make(map[string]any, len(v))
	for k, item := range v {
		key, ok := k.(string)
		if !ok || !utf8.ValidString(key) {
			return nil, false
		}
		if out[key], ok = asJSON(item); !ok {
			return nil, false
		}
	}
	return out, true
}
