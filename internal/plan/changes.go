package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/treediff"
)

// Bounds of what is listed of one object: no person reads as much.
const (
	mostChanges = 10_000
	mostPaths   = 2 << 20 // bytes
)

// Rest is the path of what stands for all changes of an object that has too many.
const Rest = "…"

// changing collects the fields that differ, in the order of their paths.
type changing struct {
	found []Change
	paths int // bytes
}

// changes are the fields that differ; one that has the whole of both objects where
// they are too many.
func changes(live, predicted map[string]any) []Change {
	var c changing
	if !treediff.Walk[string](&c, "", live, predicted) {
		return whole(live, predicted)
	}
	return c.found
}

// whole is one change that stands for all; none where nothing differs.
func whole(live, predicted map[string]any) []Change {
	if reflect.DeepEqual(live, predicted) {
		return nil
	}
	return []Change{{Path: Rest, Old: live, New: predicted}}
}

// Whole implements treediff.Rules.
func (*changing) Whole(string) bool { return false }

// Field implements treediff.Rules.
func (*changing) Field(path, key string, _, _ map[string]any) string { return join(path, key) }

// Leaf implements treediff.Rules.
func (c *changing) Leaf(path string, a, b any) bool {
	if !reflect.DeepEqual(a, b) {
		c.found = append(c.found, Change{Path: path, Old: a, New: b})
		c.paths += len(path)
	}
	return len(c.found) <= mostChanges && c.paths <= mostPaths
}

func join(path, key string) string {
	key = treediff.Step(key)
	if strings.ContainsAny(key, ".[]") {
		return treediff.Join(path, fmt.Sprintf("[%q]", key))
	}
	if path == "" {
		return key
	}
	return treediff.Join(path, "."+key)
}

// listKeys are the fields that tell the elements of a list apart, best first.
var listKeys = []string{"name", "key", "containerPort", "port", "mountPath", "devicePath", "ip", "type", "uid"}

// Items implements treediff.Rules. Elements are matched by a key where they have
// one, so that an element in the middle does not make all that follow look
// changed. The same elements in another order are one change of the whole list.
func (*changing) Items(path string, a, b []any) ([]treediff.Pair[string], bool) {
	key := listKey(a, b)
	if key == "" {
		return byPlace(path, a, b), true
	}
	before, after := byKey(a, key), byKey(b, key)
	if moved(before, after, a, b) {
		return nil, false
	}
	at := func(value any) string {
		return treediff.Join(path, fmt.Sprintf("[%s=%s]", key, treediff.Step(fmt.Sprint(value))))
	}
	out := make([]treediff.Pair[string], 0, len(a))
	for _, item := range a {
		value := valueOf(item, key)
		out = append(out, treediff.Pair[string]{At: at(value), A: item, B: after[value]})
	}
	for _, item := range b {
		value := valueOf(item, key)
		if _, was := before[value]; !was {
			out = append(out, treediff.Pair[string]{At: at(value), B: item})
		}
	}
	return out, true
}

// moved reports whether two lists have the same elements in another order.
func moved(before, after map[any]any, a, b []any) bool {
	return len(a) == len(b) && reflect.DeepEqual(before, after) && !reflect.DeepEqual(a, b)
}

func byPlace(path string, a, b []any) []treediff.Pair[string] {
	out := make([]treediff.Pair[string], max(len(a), len(b)))
	for i := range out {
		out[i] = treediff.Pair[string]{At: treediff.Join(path, fmt.Sprintf("[%d]", i)), A: at(a, i), B: at(b, i)}
	}
	return out
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func listKey(lists ...[]any) string {
	for _, key := range listKeys {
		if !slices.ContainsFunc(lists, func(list []any) bool { return !keyed(list, key) }) {
			return key
		}
	}
	return ""
}

// keyed reports whether a field tells all elements of a list apart.
func keyed(list []any, key string) bool {
	seen := make(map[any]bool, len(list))
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			return false
		}
		switch m[key].(type) {
		case string, int64, float64:
		default:
			return false
		}
		if seen[m[key]] {
			return false
		}
		seen[m[key]] = true
	}
	return true
}

func valueOf(item any, key string) any {
	m, _ := item.(map[string]any)
	return m[key]
}

func byKey(list []any, key string) map[any]any {
	out := make(map[any]any, len(list))
	for _, item := range list {
		out[valueOf(item, key)] = item
	}
	return out
}
