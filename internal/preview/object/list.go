package object

import (
	"fmt"
	"slices"
	"strings"
)

// guessedKeys tell the items of lists apart of which nothing is known, the
// best first.
var guessedKeys = []string{"name", "key", "id", "alert", "record", "containerPort", "mountPath", "host", "path", "secretKey", "port", "uid"}

// lists compares two lists as Kubernetes merges them, or as a person would.
func (d *differ) lists(p place, a, b []any) {
	if p.Secret() {
		d.leaf(p, a, b)
		return
	}
	rule := p.shape.list
	if len(rule.keys) > 0 && d.byKey(p, a, b, rule.keys, !rule.ordered) {
		return
	}
	if rule.set && len(rule.keys) == 0 && allScalars(a) && allScalars(b) {
		d.sets(p, a, b)
		return
	}
	for _, key := range guessedKeys {
		if d.byKey(p, a, b, []string{key}, false) {
			return
		}
	}
	d.align(p, a, b)
}

// byKey compares item by item; false when the keys do not tell the items of
// both lists apart.
func (d *differ) byKey(p place, a, b []any, keys []string, anyOrder bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for n := 1; n <= len(keys); n++ {
		old, head := identities(a, keys[:n]), identities(b, keys[:n])
		if old != nil && head != nil {
			d.matched(p, side{a, old}, side{b, head}, anyOrder)
			return true
		}
	}
	return false
}

// side is a list with the identity of each item.
type side struct {
	items []any
	names []string
}

func (s side) find(name string) (any, bool) {
	if i := slices.Index(s.names, name); i >= 0 {
		return s.items[i], true
	}
	return nil, false
}

func (d *differ) matched(p place, a, b side, anyOrder bool) {
	var stayed []string
	for i, name := range a.names {
		head, stays := b.find(name)
		if !stays {
			d.add(p.item(name), a.items[i], nil)
			continue
		}
		stayed = append(stayed, name)
		d.compare(p.item(name), a.items[i], head)
	}
	var order []string
	for i, name := range b.names {
		if slices.Contains(stayed, name) {
			order = append(order, name)
			continue
		}
		d.add(p.item(name), nil, b.items[i])
	}
	if !anyOrder && !slices.Equal(stayed, order) {
		d.add(place{path: p.path + "[order]"}, strings.Join(stayed, " "), strings.Join(order, " "))
	}
}

// identities names each item by its keys, as name=web; nil when an item is
// no mapping, lacks a key, or two have the same.
func identities(list []any, keys []string) []string {
	out := make([]string, len(list))
	seen := make(map[string]bool, len(list))
	for i, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			return nil
		}
		name, ok := identity(m, keys)
		if !ok || seen[name] {
			return nil
		}
		out[i], seen[name] = name, true
	}
	return out
}

func identity(m map[string]any, keys []string) (string, bool) {
	parts := make([]string, len(keys))
	for i, key := range keys {
		v, there := m[key]
		if !there && key == "protocol" {
			v, there = "TCP", true // the API server's default, which its own merging assumes, too
		}
		if !there || !isScalar(v) {
			return "", false
		}
		text := fmt.Sprint(v)
		if len(text) > maxKey || strings.ContainsAny(text, "\n\r") {
			return "", false
		}
		parts[i] = key + "=" + text
	}
	return strings.Join(parts, ","), true
}

// sets compares scalars without an order; each may be there several times.
func (d *differ) sets(p place, a, b []any) {
	count := map[string]int{}
	for _, v := range b {
		count[canon(p.shape.item(), v)]++
	}
	for i, v := range a {
		text := canon(p.shape.item(), v)
		if count[text]--; count[text] < 0 {
			d.add(p.item(index(i)), v, nil)
			count[text] = 0
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		text := canon(p.shape.item(), b[i])
		if count[text] > 0 {
			count[text]--
			d.add(p.item(index(i)), nil, b[i])
		}
	}
}
