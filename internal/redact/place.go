package redact

// Place is where a value stands. The zero value is the root of an object.
type Place struct {
	// secret values are masked.
	secret bool
	// plural is a list or mapping whose scalars are secret.
	plural bool
	// metadata and annotations are those of a Secret.
	metadata, annotations bool
	// tags is where a store says whose session it is, and holds nothing.
	tags bool
}

// Secret reports whether all that stands here is secret.
func (p Place) Secret() bool { return p.secret }

// Field is the place of a mapping's value; it is secret when one of the sides
// says so.
func (m Masker) Field(p Place, key string, sides ...map[string]any) Place {
	out := Place{annotations: p.metadata && key == "annotations", tags: p.tags || key == sessionTags}
	for _, side := range sides {
		of := m.secrecyOf(p, side, key)
		out.metadata = out.metadata || key == "metadata" && IsSecret(side)
		out.secret, out.plural = out.secret || of == all, out.plural || of == scalars
	}
	return out
}

// Item is the place of an item of lists that may also be the value of the
// argument before it, on any of the sides.
func (m Masker) Item(p Place, sides ...Item) Place {
	for _, side := range sides {
		p.secret = p.secret || m.flagged(side.List, side.At)
	}
	return p
}

// Item is an item of a list.
type Item struct {
	List []any
	At   int
}

// At copies a value without what is secret in it, and reports whether anything was.
// It takes what gitops.Plain gives.
func (m Masker) At(p Place, v any) (any, bool) {
	if m.opaque {
		shown := covered(v)
		return shown, shown == Mask
	}
	switch v := v.(type) {
	case nil:
		return nil, false
	case map[string]any:
		return m.mapping(p, v)
	case []any:
		return m.list(p, v)
	case string:
		if p.secret || p.plural {
			return Mask, true
		}
		text := v
		if !m.exempt || m.holder != holdsNone {
			text = likely(v)
		}
		text = m.known.Text(text)
		return text, text != v
	}
	if _, flag := v.(bool); p.secret || (p.plural && !flag) {
		return Mask, true
	}
	return v, false
}

func (m Masker) mapping(p Place, in map[string]any) (any, bool) {
	out, masked := make(map[string]any, len(in)), false
	for key, v := range in {
		shown, hid := m.At(m.Field(p, key, in), v)
		out[key], masked = shown, masked || hid
	}
	return out, masked
}

func (m Masker) list(p Place, list []any) (any, bool) {
	out, masked := make([]any, len(list)), false
	for i, v := range list {
		shown, hid := m.At(m.Item(p, Item{list, i}), v)
		out[i], masked = shown, masked || hid
	}
	return out, masked
}
