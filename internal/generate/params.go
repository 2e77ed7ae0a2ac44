package generate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Params is one parameter set. In the fast mode values are texts under dotted
// keys; with Go templates they are nested.
type Params map[string]any

// String lists the parameters in the order of their keys, cut where it gets
// long: it is for messages. A cluster is known by its name; its metadata would
// drown that, and is written for templates, not to be read by everyone; nor is a
// list of clusters.
func (p Params) String() string {
	const limit = 300
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(p)) {
		if k == "metadata" || strings.HasPrefix(k, "metadata.") || k == flatKey || strings.HasPrefix(k, flatKey+".") {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		text, err := json.Marshal(p[k])
		if err != nil {
			text = []byte("?")
		}
		fmt.Fprintf(&b, "%s=%s", k, text)
		if b.Len() > limit {
			return strings.ToValidUTF8(b.String()[:limit], "") + "…"
		}
	}
	return b.String()
}

// flatKey has all clusters of a generator with flatList.
const flatKey = "clusters"

// Flat reports whether a parameter set may have those of several clusters in one.
func (p Params) Flat() bool {
	for k := range p {
		if k == flatKey || strings.HasPrefix(k, flatKey+".") {
			return true
		}
	}
	return false
}

// flatten gives every leaf a dotted key: list items by index, empty maps and
// lists nothing, numbers, booleans and null as Go prints them.
func flatten(p Params) map[string]string {
	out := make(map[string]string, len(p))
	for k, v := range p {
		flattenInto(out, k, v)
	}
	return out
}

func flattenInto(out map[string]string, key string, value any) {
	switch v := value.(type) {
	case string:
		out[key] = v
	case map[string]any:
		for k, inner := range v {
			flattenInto(out, key+"."+k, inner)
		}
	case map[string]string:
		for k, inner := range v {
			out[key+"."+k] = inner
		}
	case []any:
		for i, inner := range v {
			flattenInto(out, key+"."+strconv.Itoa(i), inner)
		}
	default:
		out[key] = fmt.Sprint(v)
	}
}

// textOf is a value as Go prints it.
func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return fmt.Sprint(value)
}

// combineTexts joins two sets of the fast mode, in which everything becomes
// text. A key with two values is an error.
func combineTexts(a, b Params) (Params, error) {
	for k, v := range b {
		if had, ok := a[k]; ok && textOf(had) != textOf(v) {
			return nil, fmt.Errorf("parameter %q has two values, %q and %q; rename one, or give a git generator a pathParamPrefix", k, textOf(had), textOf(v))
		}
	}
	return overwriteTexts(a, b), nil
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

// errTypedMap is Argo CD's too: there the merge library panics. The values of
// a clusters or git generator, and a cluster's labels, can hold texts only.
var errTypedMap = errors.New("cannot merge a map of any values into a map of texts; put the generator with the free map first")

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
			return nil, fmt.Errorf("parameter %q: %w", k, err)
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

func holdsAll(m, other map[string]string) bool {
	for k, v := range other {
		if had, ok := m[k]; !ok || had != v {
			return false
		}
	}
	return true
}

func anyMap(m map[string]string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// copyJSON copies a value as it comes out of JSON, so that a template function
// that changes it does not reach other parameter sets.
func copyJSON(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, inner := range v {
			out[k] = copyJSON(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = copyJSON(inner)
		}
		return out
	default:
		return v
	}
}
