package redact

import "github.com/causeway-gitops/causeway/internal/gitops"

// Masker masks values by what is known, and by their keys and forms. The zero
// value knows nothing but keys and forms.
type Masker struct {
	known Known
	// exempt is for an object that names secrets without holding any.
	exempt bool
	// holder is how it holds some all the same.
	holder holder
	// opaque shows nothing.
	opaque bool
	// annotations of Secrets have values that are masked.
	annotations []string
}

// Opaque is the Masker for where it is not known what is secret: of a value it
// shows no more than that there is one, or yes and no.
func Opaque() Masker { return Masker{opaque: true} }

// NewMasker makes a Masker that also masks what is known. It is Opaque where that is.
func NewMasker(known Known) Masker { return Masker{known: known, opaque: known.opaque} }

// Hiding is the Masker that masks annotations of Secrets besides, by their names.
func (m Masker) Hiding(annotations []string) Masker {
	m.annotations = annotations
	return m
}

// For is the Masker for one object.
func (m Masker) For(object map[string]any) Masker {
	m.exempt, m.holder = exempt(object), holderOf(object)
	return m
}

// Value is the value at a path, of an object or of values of Helm, as it may be
// shown.
func (m Masker) Value(path []string, v any) any {
	if m.opaque {
		return covered(v)
	}
	if len(path) == 0 {
		shown, _ := m.At(Place{}, gitops.Plain(v))
		return shown
	}
	tree := v
	for i := len(path) - 1; i >= 0; i-- {
		tree = map[string]any{path[i]: tree}
	}
	shown, _ := m.At(Place{}, gitops.Plain(tree))
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
