package object

import "github.com/causeway-gitops/causeway/internal/gitops"

// Masker hides secrets in values that are no objects, such as those of Helm.
type Masker struct {
	d differ
	// opaque shows nothing.
	opaque bool
}

// Opaque is the Masker for where it is not known what is secret: of a value it
// shows no more than that there is one, or yes and no.
func Opaque() Masker { return Masker{opaque: true} }

// NewMasker makes a Masker that also knows values that are hidden wherever
// they are, and those of the Secrets among what was rendered with the values.
func NewMasker(hidden []string, renderings ...[]gitops.Manifest) Masker {
	return Masker{d: differ{scrub: newScrubber(hidden, renderings...)}}
}

// Value is the value at a path as it may be shown.
func (m Masker) Value(path []string, v any) any {
	if m.opaque {
		return covered(v)
	}
	if len(path) == 0 {
		shown, _ := m.d.mask(place{}, cleanValue(v))
		return shown
	}
	tree := v
	for i := len(path) - 1; i >= 0; i-- {
		tree = map[string]any{path[i]: tree}
	}
	shown, _ := m.d.mask(place{}, cleanValue(tree))
	for _, key := range path {
		below, ok := shown.(map[string]any)
		if !ok {
			return shown // masked as a whole
		}
		shown = below[key]
	}
	return shown
}

// covered is a value of which nothing is shown.
func covered(v any) any {
	switch v.(type) {
	case nil, bool:
		return v
	}
	return Mask
}
