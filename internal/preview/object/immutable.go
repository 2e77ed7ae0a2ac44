package object

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// immutable finds the fields that change although the API server does not
// let them.
func (c *comparing) immutable(p pair) []forecast.Risk {
	if isHook(p.after.object) {
		return nil
	}
	var out []forecast.Risk
	for _, f := range frozenFields[p.key.Group+"/"+p.key.Kind] {
		for _, path := range f.changed(p) {
			out = append(out, forecast.Risk{Kind: forecast.RiskImmutable, Message: joined(path) + c.remedy(p)})
		}
	}
	return out
}

// remedy tells what makes the change possible.
func (c *comparing) remedy(p pair) string {
	if c.forced(p.after.object) {
		return " cannot be changed: Force=true deletes the object and creates it anew"
	}
	return " cannot be changed: the API server refuses it; delete the object first, or give it the sync option Force=true"
}

// forced reports whether an object may be deleted to be changed.
func (c *comparing) forced(object map[string]any) bool {
	return !option(object, "Force=false") && (c.options.Force || option(object, "Force=true"))
}

// changed returns the paths that change and may not.
func (f frozen) changed(p pair) [][]string {
	before, after := p.before.object, p.after.object
	if f.free != nil && f.free(before, after) {
		return nil
	}
	old, head := f.value(before), f.value(after)
	s := p.after.shape
	for _, key := range f.path {
		s = s.field(key)
	}
	if f.except == nil {
		if canon(s, old) == canon(s, head) {
			return nil
		}
		return [][]string{f.path}
	}
	var out [][]string
	a, _ := old.(map[string]any)
	b, _ := head.(map[string]any)
	for _, key := range treediff.Keys(a, b) {
		if !slices.Contains(f.except, key) && canon(s.field(key), a[key]) != canon(s.field(key), b[key]) {
			out = append(out, append(slices.Clone(f.path), key))
		}
	}
	return out
}

func (f frozen) value(object map[string]any) any {
	v := at(object, f.path...)
	if v == nil {
		v = f.standard
	}
	if f.reduce != nil {
		v = f.reduce(object, v)
	}
	return v
}

func joined(path []string) string {
	var b strings.Builder
	for _, key := range path {
		b.WriteString(segment(b.String(), key))
	}
	return b.String()
}
