package generate

import (
	"encoding/json"
	"fmt"
	"iter"
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

// flatten gives every leaf of a value a dotted key in a parameter set: list items by
// index, empty maps and lists nothing, numbers, booleans and null as Go prints them. A
// leaf has all keys above it in its own: they are taken of the account before they are made.
func (a *account) flatten(of map[string]any, into Params) error {
	f := flattening{held: a, out: into}
	for k, v := range of {
		if err := f.add([]byte(k), v); err != nil {
			return err
		}
	}
	return nil
}

// flattening is a value that is being made flat.
type flattening struct {
	held *account
	out  Params
}

// add adds the leaves of a value. All below it write over what follows the key.
func (f *flattening) add(key []byte, value any) error {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if err := f.add(append(append(key, '.'), k...), inner); err != nil {
				return err
			}
		}
	case map[string]string:
		for k, inner := range v {
			if err := f.leaf(append(append(key, '.'), k...), inner); err != nil {
				return err
			}
		}
	case []any:
		for i, inner := range v {
			if err := f.add(strconv.AppendInt(append(key, '.'), int64(i), 10), inner); err != nil { //nolint:mnd // decimal
				return err
			}
		}
	default:
		return f.leaf(key, textOf(v))
	}
	return nil
}

func (f *flattening) leaf(key []byte, text string) error {
	if err := f.held.take(perSlot + len(key)); err != nil {
		return err
	}
	f.out[string(key)] = text
	return nil
}

// leaf is the text that flatten gives one key, without those of all others.
func (p Params) leaf(key string) (text string, has bool) { return leafOf(map[string]any(p), "."+key) }

// leafOf is the leaf of a value at a path, each of whose names has a dot before it
// and may have some within.
func leafOf(value any, path string) (text string, has bool) {
	switch v := value.(type) {
	case map[string]any:
		for end := range splits(path) {
			inner, is := v[path[1:end]]
			if !is {
				continue
			}
			if text, has = leafOf(inner, path[end:]); has {
				return text, true
			}
		}
		return "", false
	case map[string]string:
		if path == "" {
			return "", false
		}
		text, has = v[path[1:]]
		return text, has
	case []any:
		name, _, _ := strings.Cut(strings.TrimPrefix(path, "."), ".")
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != name {
			return "", false
		}
		return leafOf(v[i], path[len(".")+len(name):])
	default:
		if path != "" {
			return "", false
		}
		return textOf(v), true
	}
}

// splits are the places in a path where its first name may end.
func splits(path string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 1; i <= len(path); i++ {
			if (i == len(path) || path[i] == '.') && !yield(i) {
				return
			}
		}
	}
}

// textOf is a value as Go prints it.
func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return fmt.Sprint(value)
}

// errTypedMap is Argo CD's too: there the merge library panics. The values of
// a clusters or git generator, and a cluster's labels, can hold texts only.
var errTypedMap = plain("cannot merge a map of any values into a map of texts; put the generator with the free map first")

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
	case map[string]string:
		return maps.Clone(v)
	case []map[string]any:
		out := make([]map[string]any, len(v))
		for i, inner := range v {
			out[i], _ = copyJSON(inner).(map[string]any)
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
