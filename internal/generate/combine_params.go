package generate

import (
	"fmt"
	"maps"
)

// combineTexts joins two sets of the fast mode, in which everything becomes
// text. A key with two values is an error.
func combineTexts(a, b Params) (Params, error) {
	if k, ok := conflicting(a, b); ok {
		both := ""
		if text := (Params{k: a[k]}).String(); text != "" {
			both = fmt.Sprintf(" (%s and %s)", text, Params{k: b[k]})
		}
		return nil, errorf("parameter %q has two values%s; rename one, or give a git generator a pathParamPrefix", word(k), aside(both))
	}
	return overwriteTexts(a, b), nil
}

// conflicting is the first key that has two values. One whose values are quoted comes
// before others, so that the same error is reported each time.
func conflicting(a, b Params) (first string, found bool) {
	for k, v := range b {
		had, ok := a[k]
		if !ok || textOf(had) == textOf(v) {
			continue
		}
		if !found || isEarlier(k, first) {
			first, found = k, true
		}
	}
	return first, found
}

func isEarlier(key, than string) bool {
	unquoted := func(k string) bool { return (Params{k: ""}).String() == "" }
	if a, b := unquoted(key), unquoted(than); a != b {
		return b
	}
	return key < than
}

// overwriteTexts lays b over a in the fast mode, in which everything becomes text.
func overwriteTexts(a, b Params) Params {
	out := make(Params, max(len(a), len(b))) // of a merge, most keys are in both
	for _, p := range []Params{a, b} {
		for k, v := range p {
			if _, ok := v.(string); !ok {
				v = fmt.Sprint(v)
			}
			out[k] = v
		}
	}
	return out
}

// overwriteNested lays b over a with Go templates: maps are merged deeply,
// anything else of b wins, also empty values and null. Neither is modified. Made
// are the bytes of new maps: all else is shared.
func overwriteNested(a, b Params) (out Params, made int, err error) {
	var o overlay
	nested, err := o.maps(map[string]any(a), map[string]any(b))
	return Params(nested), o.made, err
}

// overlay counts the bytes of the maps that it makes.
type overlay struct{ made int }

func (o *overlay) maps(a, b map[string]any) (map[string]any, error) {
	out := make(map[string]any, max(len(a), len(b)))
	maps.Copy(out, a)
	for k, over := range b {
		merged, err := o.value(out[k], over)
		if err != nil {
			return nil, errorf("parameter %q: %w", word(k), err)
		}
		out[k] = merged
	}
	o.made += mapOf(len(out))
	return out, nil
}

func (o *overlay) value(base, over any) (any, error) {
	switch b := base.(type) {
	case map[string]any:
		switch over := over.(type) {
		case map[string]any:
			return o.maps(b, over)
		case map[string]string:
			return o.maps(b, anyMap(over))
		}
	case map[string]string:
		switch over := over.(type) {
		case map[string]any:
			if len(over) > 0 {
				return nil, errTypedMap
			}
			return base, nil
		case map[string]string:
			if holdsAll(b, over) {
				return base, nil // texts in maps of texts stay as they are
			}
			out := maps.Clone(b)
			maps.Copy(out, over)
			o.made += mapOf(len(out))
			return out, nil
		}
	}
	return over, nil
}
