package difference

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ForgetSet takes out of an object what the leaves of a set of managedFields
// name, in place: who owns fields of an element does not own the element. Both are
// walked once, as whoever writes a list with many members owns each of them.
func ForgetSet(object map[string]any, set *fieldpath.Set) { withoutFields(object, set.Leaves()) }

func withoutSet(v any, set *fieldpath.Set) any {
	switch v := v.(type) {
	case map[string]any:
		withoutFields(v, set)
	case []any:
		return withoutItems(v, set)
	}
	return v
}

func withoutFields(m map[string]any, set *fieldpath.Set) {
	for e := range set.Members.All() {
		if e.FieldName != nil {
			delete(m, *e.FieldName)
		}
	}
	for e := range set.Children.All() {
		if e.FieldName == nil {
			continue
		}
		below, known := set.Children.Get(e)
		if child, ok := m[*e.FieldName]; ok && known {
			m[*e.FieldName] = withoutSet(child, below)
		}
	}
}

func withoutItems(items []any, set *fieldpath.Set) []any {
	named, kept := formsIn(set), items[:0]
	for i, item := range items {
		goes := false
		for _, e := range named.of(item, i) {
			goes = goes || set.Members.Has(e)
			if below, ok := set.Children.Get(e); ok {
				item = withoutSet(item, below)
			}
		}
		if !goes {
			kept = append(kept, item)
		}
	}
	clear(items[len(kept):])
	return kept
}

// HasAny reports whether an object has one of some fields. Both are walked once.
func HasAny(object map[string]any, fields *fieldpath.Set) bool { return hasAny(object, fields) }

func hasAny(v any, set *fieldpath.Set) bool {
	switch v := v.(type) {
	case map[string]any:
		return hasField(v, set)
	case []any:
		return hasItem(v, set)
	}
	return false
}

func hasField(m map[string]any, set *fieldpath.Set) bool {
	for e := range set.Members.All() {
		if e.FieldName == nil {
			continue
		}
		if _, ok := m[*e.FieldName]; ok {
			return true
		}
	}
	found := false
	// Their All cannot be left early: it goes on, and panics.
	set.Children.Iterate(func(e fieldpath.PathElement) {
		if found || e.FieldName == nil {
			return
		}
		below, known := set.Children.Get(e)
		found = known && hasAny(m[*e.FieldName], below)
	})
	return found
}

func hasItem(items []any, set *fieldpath.Set) bool {
	named := formsIn(set)
	for i, item := range items {
		for _, e := range named.of(item, i) {
			if set.Members.Has(e) {
				return true
			}
			if below, ok := set.Children.Get(e); ok && hasAny(item, below) {
				return true
			}
		}
	}
	return false
}

// forms are the ways in which a set names items of a list.
type forms struct {
	index, value bool
	keys         [][]string
}

// maxKeySets bounds the different sets of keys of one list: its items have the
// same ones, but for a few that may be left out.
const maxKeySets = 4

func formsIn(set *fieldpath.Set) forms {
	var f forms
	for e := range set.Members.All() {
		f.add(e)
	}
	for e := range set.Children.All() {
		f.add(e)
	}
	return f
}

func (f *forms) add(e fieldpath.PathElement) {
	switch {
	case e.Index != nil:
		f.index = true
	case e.Value != nil:
		f.value = true
	case e.Key != nil && len(f.keys) < maxKeySets:
		known := func(names []string) bool {
			return slices.EqualFunc(names, *e.Key, func(name string, k value.Field) bool { return name == k.Name })
		}
		if slices.ContainsFunc(f.keys, known) {
			return
		}
		names := make([]string, 0, len(*e.Key))
		for _, k := range *e.Key {
			names = append(names, k.Name)
		}
		f.keys = append(f.keys, names)
	}
}

// of are the elements by which an item may be named. What is no scalar is named
// by nobody.
func (f *forms) of(item any, at int) []fieldpath.PathElement {
	var out []fieldpath.PathElement
	if f.index {
		out = append(out, fieldpath.IndexElement(at))
	}
	if f.value && gitops.IsScalar(item) {
		out = append(out, fieldpath.ValueElement(value.NewValueInterface(item)))
	}
	m, ok := item.(map[string]any)
	if !ok {
		return out
	}
	for _, names := range f.keys {
		if fields, ok := keysOf(m, names); ok {
			out = append(out, fieldpath.PathElement{Key: &fields})
		}
	}
	return out
}

func keysOf(item map[string]any, names []string) (fields value.FieldList, ok bool) {
	for _, name := range names {
		if !gitops.IsScalar(item[name]) {
			return nil, false
		}
		fields = append(fields, value.Field{Name: name, Value: value.NewValueInterface(item[name])})
	}
	return fields, true
}
