package observe

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxScan bounds how many items are looked at one by one for the elements of
// one list: that is faster than an index for the lists that people write.
const maxScan = 1 << 12

// maxIndexes bounds those of one list that are kept: its elements have the same
// keys, but for a few that may be left out.
const maxIndexes = 8

// place is a value in which path elements are followed.
type place struct {
	value any
	items []any
	// indexed tells that members are found by an index, made when the first is
	// looked for: whoever writes a list with many members names them all.
	indexed bool
	members map[any]any
	// keyed has the items by the names of keys, and then by their values.
	keyed map[string]map[string]any
}

// placeOf is a value in which so many elements will be followed.
func placeOf(value any, elements int) place {
	items, _ := value.([]any)
	return place{value: value, items: items, indexed: len(items) > 0 && elements > maxScan/len(items)}
}

// step follows one path element: f:name is a field, k:{…} a list item by its
// keys, v:… a member of a set, i:n an item by index.
func (h *hasher) step(at *place, element string) (child any, found bool) {
	kind, rest, _ := strings.Cut(element, ":")
	switch kind {
	case "f":
		m, _ := at.value.(map[string]any)
		child, found = m[rest]
		return child, found
	case "k":
		return h.itemByKeys(at, keyElements.get(rest))
	case "v":
		return h.member(at, valueElements.get(rest))
	case "i":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 || n >= len(at.items) {
			return nil, false
		}
		return at.items[n], true
	}
	return nil, false
}

func (h *hasher) itemByKeys(at *place, keys []keyField) (any, bool) {
	if len(keys) == 0 {
		return nil, false
	}
	if at.indexed {
		item, found := h.index(at, keys)[valuesOf(keys)]
		return item, found
	}
	h.left -= len(at.items) * len(keys)
	for _, item := range at.items {
		m, ok := item.(map[string]any)
		if ok && hasKeys(m, keys) {
			return item, true
		}
	}
	return nil, false
}

func hasKeys(m map[string]any, keys []keyField) bool {
	for _, k := range keys {
		if !same(m[k.name], k.value) {
			return false
		}
	}
	return true
}

func (h *hasher) member(at *place, want element) (any, bool) {
	if !want.scalar {
		return nil, false
	}
	if at.indexed {
		item, found := h.set(at)[want.value]
		return item, found
	}
	h.left -= len(at.items)
	for _, item := range at.items {
		if same(item, want.value) {
			return item, true
		}
	}
	return nil, false
}

// set indexes the members of a set.
func (h *hasher) set(at *place) map[any]any {
	if at.members != nil {
		return at.members
	}
	h.left -= len(at.items)
	at.members = make(map[any]any, len(at.items))
	for _, item := range at.items {
		if member, ok := scalarOf(item); ok {
			at.members[member] = item
		}
	}
	return at.members
}

// index has the items of a list by the values of some keys.
func (h *hasher) index(at *place, keys []keyField) map[string]any {
	names := namesOf(keys)
	if found, ok := at.keyed[names]; ok {
		return found
	}
	h.left -= len(at.items) * len(keys)
	out := make(map[string]any, len(at.items))
	if at.keyed == nil || len(at.keyed) == maxIndexes {
		at.keyed = map[string]map[string]any{}
	}
	at.keyed[names] = out
	if h.spent() {
		return out
	}
	values := slices.Clone(keys)
	for _, item := range at.items {
		m, _ := item.(map[string]any)
		if m == nil || !fill(values, m) {
			continue
		}
		text := valuesOf(values)
		h.left -= len(text)
		// The first of several counts, as where they are looked through.
		if out[text] == nil {
			out[text] = item
		}
	}
	return out
}

// fill sets the values of keys to those of an item.
func fill(keys []keyField, item map[string]any) bool {
	for i, k := range keys {
		value, ok := scalarOf(item[k.name])
		if !ok {
			return false
		}
		keys[i].value = value
	}
	return true
}

func namesOf(keys []keyField) string {
	var text []byte
	for _, k := range keys {
		text = appendText(text, k.name)
	}
	return string(text)
}

// valuesOf writes the values of keys; those that are the same write the same.
func valuesOf(keys []keyField) string {
	var text []byte
	for _, k := range keys {
		switch v := k.value.(type) {
		case string:
			text = appendText(text, v)
		case bool:
			text = strconv.AppendBool(text, v)
		case float64:
			text = strconv.AppendFloat(text, v, 'g', -1, 64)
		}
		text = append(text, ',')
	}
	return string(text)
}

// scalarOf gives scalars that are the same one form; ok is false for what is no
// scalar: API servers name no other members by their values.
func scalarOf(v any) (form any, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case nil, string, bool, float64:
		return v, true
	}
	return nil, false
}

// same compares scalars; whole numbers may be int64 or float64.
func same(a, b any) bool {
	switch b := b.(type) {
	case string:
		s, ok := a.(string)
		return ok && s == b
	case bool:
		v, ok := a.(bool)
		return ok && v == b
	case float64:
		switch a := a.(type) {
		case int64:
			return float64(a) == b
		case float64:
			return a == b
		}
		return false
	case nil:
		return a == nil
	}
	return false
}

// keyField is one key of an associative list.
type keyField struct {
	name  string
	value any
}

// element is a member of a set.
type element struct {
	value  any
	scalar bool
}

// elements remembers parsed path elements: a fleet has few different ones
// (container names, ports), each read at every event.
type elements[T any] struct {
	mu     sync.RWMutex
	parsed map[string]T
	bytes  int // of the texts that are remembered
	parse  func(string) T
}

// Bounds of each cache, in bytes of text: what is parsed takes up to ten times
// as much. It starts anew when full. Longer elements are parsed each time: names
// of containers and ports are short, and how long others are is up to whoever
// writes objects.
const (
	maxElement  = 256
	maxElements = 1 << 20
	elementCost = 32 // of one without text
)

var (
	keyElements   = &elements[[]keyField]{parse: parseKeys}
	valueElements = &elements[element]{parse: parseValue}
)

func (e *elements[T]) get(text string) T {
	if len(text) > maxElement {
		return e.parse(text)
	}
	e.mu.RLock()
	v, ok := e.parsed[text]
	e.mu.RUnlock()
	if ok {
		return v
	}
	text = strings.Clone(text)
	v = e.parse(text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.parsed == nil || e.bytes > maxElements {
		e.parsed, e.bytes = map[string]T{}, 0
	}
	e.parsed[text] = v
	e.bytes += elementCost + len(text)
	return v
}

// parseKeys sorts the keys by name; nil for those with other values than scalars.
func parseKeys(text string) []keyField {
	var m map[string]any
	if json.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	out := make([]keyField, 0, len(m))
	for name, value := range m {
		if _, ok := scalarOf(value); !ok {
			return nil
		}
		out = append(out, keyField{name, value})
	}
	slices.SortFunc(out, func(a, b keyField) int { return strings.Compare(a.name, b.name) })
	return out
}

func parseValue(text string) element {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return element{text, true}
	}
	form, ok := scalarOf(v)
	return element{form, ok}
}
