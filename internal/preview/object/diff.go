package object

import (
	"regexp"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// Bounds of what is told of one object: beyond them there is nothing that a
// person reads.
const (
	maxFields = 400
	maxDepth  = 60
	// maxPaths is for the paths of all fields together, in bytes: each has its own,
	// and they are of thousands of objects.
	maxPaths = 32 << 10
	// maxAllPaths is for those of all objects of one comparison.
	maxAllPaths = 8 << 20
)

// differ collects the fields that differ between two cleaned values.
type differ struct {
	mask    redact.Masker
	fields  []forecast.Field
	paths   int // bytes
	room    int // for more of them
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
func (d *differ) compare(p place, a, b any) { treediff.Walk[place](d, p, a, b) }

// Whole implements treediff.Rules.
func (*differ) Whole(p place) bool { return p.depth > maxDepth }

// Leaf implements treediff.Rules: it adds one field, unless both values mean the same.
func (d *differ) Leaf(p place, a, b any) bool {
	if canon(p.shape, a) == canon(p.shape, b) {
		return true
	}
	if len(d.fields) >= maxFields || d.paths+len(p.path) > d.room {
		d.omitted++
		return true
	}
	d.paths += len(p.path)
	old, hid := d.mask.At(p.Place, a)
	head, hidToo := d.mask.At(p.Place, b)
	old, head = bound(old, head)
	d.fields = append(d.fields, forecast.Field{Path: p.path, Old: old, New: head, Masked: hid || hidToo})
	return true
}

// Field implements treediff.Rules.
func (d *differ) Field(p place, key string, a, b map[string]any) place {
	return place{Place: d.mask.Field(p.Place, key, a, b), path: treediff.Join(p.path, segment(p.path, key)), shape: p.shape.field(key), depth: p.depth + 1}
}

func (p place) item(name string) place {
	return place{Place: p.Place, path: treediff.Join(p.path, "["+treediff.Step(name)+"]"), shape: p.shape.item(), depth: p.depth + 1}
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// segment writes a key as a step of a path.
func segment(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return "[" + strconv.Quote(clipped(key)) + "]"
	case path == "":
		return clipped(key)
	}
	return "." + clipped(key)
}

const maxKey = 120

func clipped(text string) string { return gitops.First(text, maxKey) }

func index(i int) string { return strconv.Itoa(i) }
