package object

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// Bounds of what is told of one object: beyond them there is nothing that a
// person reads.
const (
	maxFields = 400
	maxDepth  = 60
)

// differ collects the fields that differ between two cleaned values.
type differ struct {
	mask    redact.Masker
	fields  []forecast.Field
	omitted int
}

// place is where a differ is.
type place struct {
	redact.Place

	path  string
	shape shape
	depth int
}

// compare adds the fields that differ.
func (d *differ) compare(p place, a, b any) {
	if p.depth > maxDepth {
		d.leaf(p, a, b)
		return
	}
	switch old := a.(type) {
	case map[string]any:
		if head, ok := b.(map[string]any); ok {
			d.mappings(p, old, head)
			return
		}
	case []any:
		if head, ok := b.([]any); ok {
			d.lists(p, old, head)
			return
		}
	}
	d.leaf(p, a, b)
}

// leaf adds one field, unless both values mean the same.
func (d *differ) leaf(p place, a, b any) {
	if canon(p.shape, a) == canon(p.shape, b) {
		return
	}
	d.add(p, a, b)
}

func (d *differ) add(p place, a, b any) {
	if len(d.fields) >= maxFields {
		d.omitted++
		return
	}
	old, hid := d.mask.At(p.Place, a)
	head, hidToo := d.mask.At(p.Place, b)
	old, head = bound(old, head)
	d.fields = append(d.fields, forecast.Field{Path: p.path, Old: old, New: head, Masked: hid || hidToo})
}

func (d *differ) mappings(p place, a, b map[string]any) {
	for _, key := range union(a, b) {
		old, was := a[key]
		head, is := b[key]
		child := d.child(p, key, a, b)
		switch {
		case was && is:
			d.compare(child, old, head)
		case was:
			d.add(child, old, nil)
		default:
			d.add(child, nil, head)
		}
	}
}

// child is the place of a mapping's value, on both sides.
func (d *differ) child(p place, key string, a, b map[string]any) place {
	return place{Place: d.mask.Field(p.Place, key, a, b), path: p.path + segment(p.path, key), shape: p.shape.field(key), depth: p.depth + 1}
}

func (p place) item(name string) place {
	return place{Place: p.Place, path: p.path + "[" + name + "]", shape: p.shape.item(), depth: p.depth + 1}
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// segment writes a key as a step of a path.
func segment(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return "[" + strconv.Quote(bounded(key)) + "]"
	case path == "":
		return key
	}
	return "." + key
}

const maxKey = 120

func bounded(text string) string {
	if len(text) <= maxKey {
		return text
	}
	return text[:maxKey] + "…"
}

func union(a, b map[string]any) []string {
	out := sortedKeys(a)
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

func index(i int) string { return strconv.Itoa(i) }
