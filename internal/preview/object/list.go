package object

import (
	"fmt"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// guessedKeys tell the items of lists apart of which nothing is known, the
// best first.
var guessedKeys = []string{"name", "key", "id", "alert", "record", "containerPort", "mountPath", "host", "path", "secretKey", "port", "uid"}

// pairs are items of two lists that belong together.
type pairs = []treediff.Pair[place]

// Items implements treediff.Rules: two lists are compared as Kubernetes merges
// them, or as a person would.
func (d *differ) Items(p place, a, b []any) (pairs, bool) {
	isNull := func(item any) bool { return item == nil } // a pair without a side stands for none
	if p.Secret() || slices.ContainsFunc(a, isNull) || slices.ContainsFunc(b, isNull) {
		return nil, false
	}
	rule := p.shape.list
	if len(rule.keys) > 0 {
		if matched, ok := byKey(p, a, b, rule.keys, !rule.ordered); ok {
			return matched, true
		}
	}
	if rule.set && len(rule.keys) == 0 && allScalars(a) && allScalars(b) {
		return sets(p, a, b), true
	}
	for _, key := range guessedKeys {
		if matched, ok := byKey(p, a, b, []string{key}, false); ok {
			return matched, true
		}
	}
	return d.align(p, a, b), true
}

// byKey matches item by item; false when the keys do not tell the items of
// both lists apart.
func byKey(p place, a, b []any, keys []string, anyOrder bool) (pairs, bool) {
	if len(a) == 0 || len(b) == 0 {
		return nil, false
	}
	for n := 1; n <= len(keys); n++ {
		old, head := identities(a, keys[:n]), identities(b, keys[:n])
		if old != nil && head != nil {
			return matched(p, side{a, old}, side{b, head}, anyOrder), true
		}
	}
	return nil, false
}

// side is a list with the identity of each item.
type side struct {
	items []any
	names []string
}

// named has the items of a side by their identities.
func (s side) named() map[string]any {
	out := make(map[string]any, len(s.names))
	for i, name := range s.names {
		out[name] = s.items[i]
	}
	return out
}

func matched(p place, a, b side, anyOrder bool) (out pairs) {
	var stayed, order []string
	before, after := a.named(), b.named()
	for i, name := range a.names {
		head, stays := after[name]
		if stays {
			stayed = append(stayed, name)
		}
		out = append(out, treediff.Pair[place]{At: p.item(name), A: a.items[i], B: head})
	}
	for i, name := range b.names {
		if _, stays := before[name]; stays {
			order = append(order, name)
			continue
		}
		out = append(out, treediff.Pair[place]{At: p.item(name), B: b.items[i]})
	}
	if !anyOrder && !slices.Equal(stayed, order) {
		out = append(out, treediff.Pair[place]{At: place{path: p.path + "[order]"}, A: strings.Join(stayed, " "), B: strings.Join(order, " ")})
	}
	return out
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
		if !there || !gitops.IsScalar(v) {
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

// sets are scalars without an order; each may be there several times.
func sets(p place, a, b []any) (out pairs) {
	count := map[string]int{}
	for _, v := range b {
		count[canon(p.shape.item(), v)]++
	}
	for i, v := range a {
		text := canon(p.shape.item(), v)
		if count[text]--; count[text] < 0 {
			out = append(out, treediff.Pair[place]{At: p.item(index(i)), A: v})
			count[text] = 0
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		text := canon(p.shape.item(), b[i])
		if count[text] > 0 {
			count[text]--
			out = append(out, treediff.Pair[place]{At: p.item(index(i)), B: b[i]})
		}
	}
	return out
}
