package observe

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
)

// step follows one path element: f:name is a field, k:{…} a list item by its
// keys, v:… a member of a set, i:n an item by index.
func step(value any, element string) (child any, found bool) {
	kind, rest, _ := strings.Cut(element, ":")
	switch kind {
	case "f":
		m, _ := value.(map[string]any)
		child, found = m[rest]
		return child, found
	case "k":
		return itemByKeys(value, keyElements.get(rest))
	case "v":
		return member(value, valueElements.get(rest))
	case "i":
		items, _ := value.([]any)
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 || n >= len(items) {
			return nil, false
		}
		return items[n], true
	}
	return nil, false
}

func itemByKeys(value any, keys []keyField) (any, bool) {
	items, _ := value.([]any)
	for _, item := range items {
		m, ok := item.(map[string]any)
		if ok && len(keys) > 0 && hasKeys(m, keys) {
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

func member(value, want any) (any, bool) {
	items, _ := value.([]any)
	for _, item := range items {
		if same(item, want) {
			return item, true
		}
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
	return alike(a, b)
}

// keyField is one key of an associative list.
type keyField struct {
	name  string
	value any
}

// elements remembers parsed path elements: a fleet has few different ones
// (container names, ports), each read at every event.
type elements[T any] struct {
	mu     sync.RWMutex
	parsed map[string]T
	parse  func(string) T
}

// maxElements bounds each cache; it starts anew when full.
const maxElements = 1 << 14

var (
	keyElements   = &elements[[]keyField]{parse: parseKeys}
	valueElements = &elements[any]{parse: parseValue}
)

func (e *elements[T]) get(text string) T {
	e.mu.RLock()
	v, ok := e.parsed[text]
	e.mu.RUnlock()
	if ok {
		return v
	}
	v = e.parse(text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.parsed == nil || len(e.parsed) >= maxElements {
		e.parsed = map[string]T{}
	}
	e.parsed[strings.Clone(text)] = v
	return v
}

func parseKeys(text string) []keyField {
	var m map[string]any
	if json.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	out := make([]keyField, 0, len(m))
	for name, value := range m {
		out = append(out, keyField{name, value})
	}
	return out
}

func parseValue(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}
