package apply

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// strip removes the fields that sorted paths name; v is where all of them lead
// with their first bytes, as many as cut. Paths are written as field paths are
// printed: .spec.containers[name="web"].bogus. Names with dots in them are found
// by looking at what is there. Each value is looked at once, whatever the paths.
func strip(v any, paths []string, cut int) {
	switch v := v.(type) {
	case map[string]any:
		stripFields(v, paths, cut)
	case []any:
		stripItems(v, paths, cut)
	}
}

func stripFields(m map[string]any, paths []string, cut int) {
	for key, child := range m {
		begin := "." + key
		if at := under(paths, cut, begin); len(at) > 0 && len(at[0]) == cut+len(begin) {
			delete(m, key)
			continue
		}
		next := "."
		if _, isList := child.([]any); isList {
			next = "["
		}
		if at := under(paths, cut, begin+next); len(at) > 0 {
			strip(child, at, cut+len(begin))
		}
	}
}

func stripItems(items []any, paths []string, cut int) {
	found, room := finder{items: items}, maxMatches*len(items)
	for len(paths) > 0 && room >= 0 {
		keys, rest, ok := cutKeys(paths[0][cut:])
		if !ok {
			paths = paths[1:]
			continue
		}
		begin := paths[0][cut : len(paths[0])-len(rest)]
		at := under(paths, cut, begin)
		matching := found.having(keys)
		room -= len(matching)
		for _, item := range matching {
			stripFields(item, at, cut+len(begin))
		}
		paths = paths[len(at):]
	}
}

// under are those of sorted paths that go on, after their first bytes, with a text.
func under(paths []string, cut int, text string) []string {
	start, _ := slices.BinarySearchFunc(paths, text, func(path, text string) int { return strings.Compare(path[cut:], text) })
	paths = paths[start:]
	return paths[:sort.Search(len(paths), func(i int) bool { return !strings.HasPrefix(paths[i][cut:], text) })]
}

// listKey is one key of a list's item, as it is printed.
type listKey struct{ name, value string }

var keyPart = regexp.MustCompile(`^([A-Za-z0-9_]+)=("(?:[^"\\]|\\.)*"|[^,\]]*),?`)

// cutKeys takes [a="x",b=1] off the front of a path.
func cutKeys(path string) (keys []listKey, rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "[")
	if !ok {
		return nil, "", false
	}
	for {
		if after, end := strings.CutPrefix(rest, "]"); end {
			return keys, after, true
		}
		m := keyPart.FindStringSubmatch(rest)
		if m == nil || len(keys) == maxKeys {
			return nil, "", false
		}
		keys = append(keys, listKey{m[1], strings.Trim(m[2], `"`)})
		rest = rest[len(m[0]):]
	}
}

// Bounds of what a cluster says of the keys of a list: how many there are, how
// many different sets of them, and how often they lead to one item.
const (
	maxKeys    = 8
	maxSets    = 4
	maxMatches = 8
)

// finder finds the items of a list that have keys. A key that an item does not
// have passes: it is a default then.
type finder struct {
	items []any
	sets  map[string]keyed
}

// keyed are the items of a list by the values of the keys that they have, for
// each of the sets of keys that some have.
type keyed struct {
	having map[uint]bool
	items  map[string][]map[string]any
}

func (f *finder) having(keys []listKey) (found []map[string]any) {
	known, ok := f.indexOf(keys)
	if !ok {
		return nil
	}
	for has := range known.having {
		found = append(found, known.items[valuesOf(keys, has)]...)
	}
	return found
}

func (f *finder) indexOf(keys []listKey) (known keyed, ok bool) {
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(k.name + ",")
	}
	names := b.String()
	if known, ok = f.sets[names]; ok {
		return known, true
	}
	if len(f.sets) == maxSets {
		return keyed{}, false
	}
	if f.sets == nil {
		f.sets = map[string]keyed{}
	}
	known = keyedBy(f.items, keys)
	f.sets[names] = known
	return known, true
}

// keyedBy indexes items.
func keyedBy(items []any, keys []listKey) keyed {
	out := keyed{having: map[uint]bool{}, items: map[string][]map[string]any{}}
	own := slices.Clone(keys)
	for _, item := range items {
		m, isMap := item.(map[string]any)
		if !isMap {
			continue
		}
		has := uint(0)
		for i, k := range keys {
			if value, ok := m[k.name]; ok {
				own[i].value = fmt.Sprint(value)
				has |= 1 << i
			}
		}
		at := valuesOf(own, has)
		out.having[has], out.items[at] = true, append(out.items[at], m)
	}
	return out
}

// valuesOf writes the values of those keys whose bit is set.
func valuesOf(keys []listKey, has uint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%b", has)
	for i, k := range keys {
		if has&(1<<i) != 0 {
			fmt.Fprintf(&b, ",%q", k.value)
		}
	}
	return b.String()
}
