package engine

import (
	"math"

	"helm.sh/helm/v4/pkg/chart/common"
)

// plainYAML turns a value into one that YAML writes just as it does after a
// detour through JSON, which is what Helm's toYaml takes: whole numbers are
// integers, maps that are nil are null. ok is false for what is not that
// simple, as texts with control characters and types of the library's.
func plainYAML(v any) (out any, ok bool) {
	switch v := v.(type) {
	case nil, bool, int, int64:
		return v, true
	case string:
		return v, plainText(v)
	case float64:
		return plainNumber(v)
	case map[string]any:
		return plainMap(v)
	case common.Values:
		return plainMap(v)
	case []any:
		return plainList(v)
	case []string:
		return v, v != nil && allPlain(v)
	case map[string]string:
		for key, text := range v {
			if !plainKey(key) || !plainText(text) {
				return nil, false
			}
		}
		return v, v != nil
	}
	return nil, false
}

// maxWhole is the size from which on whole numbers are left to the library.
const maxWhole = 1e15

func plainNumber(v float64) (any, bool) {
	if v != math.Trunc(v) {
		return v, math.Abs(v) < maxWhole && math.Abs(v) > 1e-4
	}
	return int64(v), math.Abs(v) < maxWhole
}

func plainMap(m map[string]any) (any, bool) {
	if m == nil {
		return nil, true
	}
	out := make(map[string]any, len(m))
	for key, v := range m {
		p, ok := plainYAML(v)
		if !ok || !plainKey(key) {
			return nil, false
		}
		out[key] = p
	}
	return out, true
}

func plainList(list []any) (any, bool) {
	if list == nil {
		return nil, true
	}
	out := make([]any, len(list))
	for i, v := range list {
		p, ok := plainYAML(v)
		if !ok {
			return nil, false
		}
		out[i] = p
	}
	return out, true
}

func allPlain(texts []string) bool {
	for _, t := range texts {
		if !plainText(t) {
			return false
		}
	}
	return true
}

// maxKey is the length from which on keys are left to the library: it cannot
// read long ones back.
const maxKey = 100

func plainKey(key string) bool { return len(key) < maxKey && key != "<<" && plainText(key) }

// plainText reports whether a text has nothing that JSON or YAML would escape in
// ways of their own.
func plainText(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' && c != '\n' && c != '\t') || c > '~' {
			return plainRunes(text)
		}
	}
	return true
}

func plainRunes(text string) bool {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || r >= ' ' && r <= '~':
		case r >= 0xA0 && r < 0x2000, r >= 0x3000 && r < 0xD800:
		default:
			return false
		}
	}
	return true
}
