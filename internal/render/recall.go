package render

import (
	"context"
)

// recall returns what is kept and still holds for an input, brought up to
// date, with its objects; nil when the input has to be rendered.
func (r *Renderer) recall(ctx context.Context, key [32]byte, in Input) *entry {
	found, old := r.find(ctx, key, in)
	if found == nil {
		return nil
	}
	e, err := found.unpacked()
	if err != nil {
		return nil
	}
	if old != nil {
		r.kept.replace(in.id(), old, e)
		return e
	}
	r.count.loaded.Add(1)
	r.kept.put(in.id(), e)
	return e
}

// find looks into memory, then into the store. The old entry is the one in
// memory that the found one was made of; nil when it came from the store.
func (r *Renderer) find(ctx context.Context, key [32]byte, in Input) (found, old *entry) {
	if old := r.kept.look(in.id()); old != nil && old.fresh(r.now()) {
		if e := old.fitting(ctx, in.from(r.remotes), key, in); e != nil {
			return e, old
		}
	}
	for _, e := range r.store.load(in.id(), key) {
		if e := e.fitting(ctx, in.from(r.remotes), key, in); e != nil {
			return e, nil
		}
	}
	return nil, nil
}

// Known tells whether Application would answer without rendering, from
// memory or from the store; the answer may be an error.
func (r *Renderer) Known(ctx context.Context, in Input) bool {
	return r.outline(ctx, in) != nil
}

// Digest is the digest of the manifests of a kept rendering, without making
// its objects; ok is false when nothing that holds is kept, or when it is
// an error.
func (r *Renderer) Digest(ctx context.Context, in Input) (digest string, ok bool) {
	e := r.outline(ctx, in)
	if e == nil || e.err != nil {
		return "", false
	}
	return e.digest, true
}

// outline is what is kept for an input, with or without its objects.
func (r *Renderer) outline(ctx context.Context, in Input) *entry {
	if in.check() != nil {
		return nil
	}
	e, _ := r.find(ctx, in.key(), in)
	return e
}
