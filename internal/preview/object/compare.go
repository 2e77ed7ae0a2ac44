package object

import (
	"cmp"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// Comparison is what differs between two renderings.
type Comparison struct {
	// Objects are sorted by kind, namespace and name.
	Objects []forecast.Object
	Images  []forecast.Image
	Risks   []forecast.Risk
}

// Options of a comparison; the zero value works.
type Options struct {
	// Namespace is where an object without one is created; empty leaves
	// such objects without.
	Namespace string
	// Force tells that the application's sync options have Force=true, so
	// that what cannot be changed is deleted and created anew.
	Force bool
	// Hidden are values that are masked wherever they are.
	Hidden []string
	// Annotations of Secrets have values that are masked.
	Annotations []string
}

// Compare tells what becomes of the objects of a rendering. Of several
// objects with one key, on one side, the last counts.
func Compare(before, after []gitops.Manifest, o Options) Comparison {
	b, a := flatten(before), flatten(after)
	if sameManifests(b, a) {
		return Comparison{}
	}
	c := &comparing{options: o, schemas: newSchemas(b, a)}
	old, head := c.index(b), c.index(a)
	for key, m := range old {
		if _, stays := head[key]; !stays {
			c.pairs = append(c.pairs, pair{key: key, before: c.prepare(m)})
		}
	}
	for key, m := range head {
		was, there := old[key]
		if there && reflect.DeepEqual(was.Object.Object, m.Object.Object) {
			continue
		}
		p := pair{key: key, after: c.prepare(m)}
		if there {
			p.before = c.prepare(was)
		}
		c.pairs = append(c.pairs, p)
	}
	slices.SortFunc(c.pairs, func(x, y pair) int { return compareKeys(x.key, y.key) })
	c.mask = redact.NewMasker(redact.NewKnown(o.Hidden, b, a)).Hiding(o.Annotations)
	return c.run()
}

// Fields tells what differs between two values that are no objects of a
// cluster, such as the specs of an Application, as Compare tells it.
func Fields(before, after map[string]any) []forecast.Field {
	d := differ{room: maxPaths}
	d.compare(place{}, gitops.PlainMap(before), gitops.PlainMap(after))
	return d.fields
}

// comparing is one comparison under way.
type comparing struct {
	options Options
	schemas schemas
	mask    redact.Masker
	pairs   []pair
	paths   int // bytes, of all fields that are told
}

// pair is an object on both sides; one of them may be nil.
type pair struct {
	key           gitops.Key
	before, after *prepared
}

// prepared is an object without what no person writes.
type prepared struct {
	manifest gitops.Manifest
	object   map[string]any
	shape    shape
}

func (c *comparing) run() Comparison {
	var out Comparison
	images := gallery{}
	for _, p := range c.pairs {
		object, changed := c.object(p)
		if !changed {
			continue
		}
		out.Objects = append(out.Objects, object)
		images.add(p)
		out.Risks = append(out.Risks, c.risks(p)...)
	}
	out.Images = images.sorted()
	return out
}

func (c *comparing) object(p pair) (forecast.Object, bool) {
	shown := p.after
	if shown == nil {
		shown = p.before
	}
	gvk := shown.manifest.Object.GroupVersionKind()
	out := forecast.Object{
		Change: forecast.Changed, Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind,
		Namespace: p.key.Namespace, Name: p.key.Name,
		File: shown.manifest.Origin.File, Line: shown.manifest.Origin.Line,
	}
	switch {
	case p.before == nil:
		out.Change, out.Manifest = forecast.Added, c.text(p.after)
	case p.after == nil:
		out.Change, out.Manifest = forecast.Removed, c.text(p.before)
	default:
		d := differ{mask: c.mask.For(p.after.object), room: min(maxPaths, maxAllPaths-c.paths)}
		d.compare(place{shape: p.after.shape}, p.before.object, p.after.object)
		out.Fields, out.Omitted = d.fields, d.omitted
		c.paths += d.paths
	}
	return out, out.Change != forecast.Changed || len(out.Fields)+out.Omitted > 0
}

// index keeps the last object of each key.
func (c *comparing) index(all []gitops.Manifest) map[gitops.Key]gitops.Manifest {
	out := make(map[gitops.Key]gitops.Manifest, len(all))
	for _, m := range all {
		out[c.key(m)] = m
	}
	return out
}

// key names an object where it will be.
func (c *comparing) key(m gitops.Manifest) gitops.Key {
	key := m.Key()
	namespaced, known := c.scope(key.Group, key.Kind)
	switch {
	case known && !namespaced:
		key.Namespace = ""
	case key.Namespace == "":
		key.Namespace = c.options.Namespace
	}
	return key
}

func (c *comparing) scope(group, kind string) (namespaced, known bool) {
	if namespaced, known = BuiltinScope(group, kind); known {
		return namespaced, true
	}
	return c.schemas.scope(group, kind)
}

func (c *comparing) prepare(m gitops.Manifest) *prepared {
	gvk := m.Object.GroupVersionKind()
	return &prepared{manifest: m, object: prepare(m.Object.Object), shape: c.schemas.shape(gvk)}
}

// flatten opens Lists and leaves out what is no object.
func flatten(all []gitops.Manifest) []gitops.Manifest {
	out := make([]gitops.Manifest, 0, len(all))
	for _, m := range all {
		if m.Object == nil || m.Object.Object == nil {
			continue
		}
		items, isList := m.Object.Object["items"].([]any)
		if !isList || m.Object.GetName() != "" || !isListKind(m.Object.GetKind()) {
			out = append(out, m)
			continue
		}
		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				out = append(out, gitops.Manifest{Object: &unstructured.Unstructured{Object: object}, Origin: m.Origin})
			}
		}
	}
	return out
}

func isListKind(kind string) bool { return len(kind) >= 4 && kind[len(kind)-4:] == "List" }

func sameManifests(a, b []gitops.Manifest) bool {
	return slices.EqualFunc(a, b, func(x, y gitops.Manifest) bool {
		return x.Object == y.Object || reflect.DeepEqual(x.Object.Object, y.Object.Object)
	})
}

func compareKeys(a, b gitops.Key) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
