package redact

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What stands for a text that has something decrypted in it, and for another
// text that is in its place on the other side.
const (
	veiled  = gitops.Redacted
	another = "[redacted, another value]"
)

// sealed begins a value that SOPS encrypted. Whoever compares without the key has
// that on one side, and on the other what it is in plain.
const sealed = "ENC[AES256_GCM,"

// Sides returns both sides of an object with marks in place of each text that
// has a secret in it, and of what the other side has there: a value that was
// decrypted before is none that is known now. Equal texts have equal marks.
// Values of Secrets are left to Marks. The objects are not changed; either may
// be nil.
func (k Known) Sides(desired, live *unstructured.Unstructured) (_, _ *unstructured.Unstructured) {
	if k.none() && !seals(content(desired)) && !seals(content(live)) {
		return desired, live
	}
	a, b := k.over(content(desired), content(live))
	return k.object(desired, a), k.object(live, b)
}

func content(o *unstructured.Unstructured) any {
	if o == nil {
		return nil
	}
	return o.Object
}

// seals reports whether something is encrypted in a value.
func seals(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.Contains(value, sealed)
	case []any:
		return slices.ContainsFunc(value, seals)
	case map[string]any:
		for _, below := range value {
			if seals(below) {
				return true
			}
		}
	}
	return false
}

// object is one side, veiled. The values of a Secret stay, and so does what it is: by
// that Marks knows them, whatever word somebody encrypted.
func (k Known) object(was *unstructured.Unstructured, content any) *unstructured.Unstructured {
	if was == nil {
		return nil
	}
	out := &unstructured.Unstructured{}
	out.Object, _ = content.(map[string]any)
	for _, field := range []string{"apiVersion", "kind"} {
		if value, ok := was.Object[field].(string); ok {
			out.Object[field] = value
		}
	}
	if was.GetKind() != "Secret" || was.GroupVersionKind().Group != "" {
		return out
	}
	for _, field := range []string{"data", "stringData"} {
		if values, ok := was.Object[field]; ok {
			out.Object[field] = values
		}
	}
	return out
}

func (k Known) over(a, b any) (_, _ any) { //nolint:cyclop // a table of forms
	mapA, isMapA := a.(map[string]any)
	mapB, isMapB := b.(map[string]any)
	listA, isListA := a.([]any)
	listB, isListB := b.([]any)
	switch {
	case isMapA && isMapB || isMapA && b == nil || a == nil && isMapB:
		outA, outB := k.maps(mapA, mapB)
		return unless(a, outA), unless(b, outB)
	case isListA && isListB || isListA && b == nil || a == nil && isListB:
		outA, outB := k.lists(listA, listB)
		return unless(a, outA), unless(b, outB)
	case isMapA || isMapB || isListA || isListB: // of two forms: each by itself
		a, _ = k.over(a, nil)
		_, b = k.over(nil, b)
		return a, b
	case !k.has(a) && !k.has(b):
		return a, b
	case a == b:
		return veiled, veiled
	}
	return unless(a, veiled), unless(b, another)
}

// unless is what takes the place of a value; there is none for nothing.
func unless(value, out any) any {
	if value == nil {
		return nil
	}
	return out
}

func (k Known) has(value any) bool {
	var text string
	switch value := value.(type) {
	case string:
		text = value
	case int64:
		text = strconv.FormatInt(value, 10)
	case float64:
		text = strconv.FormatFloat(value, 'f', -1, 64)
	default:
		return false
	}
	return strings.Contains(text, sealed) || k.in(text)
}

func (k Known) maps(a, b map[string]any) (_, _ map[string]any) {
	outA, outB := make(map[string]any, len(a)), make(map[string]any, len(b))
	for name, value := range a {
		theirs, both := b[name]
		mine, other := k.over(value, theirs)
		outA[name] = mine
		if both {
			outB[name] = other
		}
	}
	for name, value := range b {
		if _, both := a[name]; !both {
			_, outB[name] = k.over(nil, value)
		}
	}
	return outA, outB
}

// lists pairs items by their names, others by their places.
func (k Known) lists(a, b []any) (_, _ []any) {
	outA, outB := make([]any, len(a)), make([]any, len(b))
	paired, places := make([]bool, len(b)), placesIn(b)
	for i, item := range a {
		j := places.of(item, i)
		if j < 0 || paired[j] {
			outA[i], _ = k.over(item, nil)
			continue
		}
		paired[j] = true
		outA[i], outB[j] = k.over(item, b[j])
	}
	for j, item := range b {
		if !paired[j] {
			_, outB[j] = k.over(nil, item)
		}
	}
	return outA, outB
}

// places are those of the items of a list: the first of each name.
type places struct {
	named map[any]int
	count int
}

func placesIn(list []any) places {
	p := places{map[any]int{}, len(list)}
	for j, item := range list {
		name, named := nameOf(item)
		if _, twice := p.named[name]; named && !twice {
			p.named[name] = j
		}
	}
	return p
}

// of is where a list has the other side of an item; -1 for nowhere.
func (p places) of(item any, place int) int {
	if name, named := nameOf(item); named {
		if j, ok := p.named[name]; ok {
			return j
		}
		return -1
	}
	if place >= p.count {
		return -1
	}
	return place
}

// nameOf is what an item of a list is told by. A map or a list is no name.
func nameOf(item any) (name any, named bool) {
	m, _ := item.(map[string]any)
	name, named = m["name"]
	switch name.(type) {
	case map[string]any, []any:
		return nil, false
	}
	return name, named
}
