package render

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/room"
)

// recall returns what is kept and still holds for an input, brought up to
// date, with its objects; nil when the input has to be rendered. The error is
// room.ErrNoRoom.
func (r *Renderer) recall(ctx context.Context, key [32]byte, in Input) (*entry, error) {
	found, old, err := r.find(ctx, key, in)
	if err != nil || found == nil {
		return nil, err
	}
	if err := room.Take(ctx, found.inUse()); err != nil {
		return nil, err
	}
	e, err := found.unpacked()
	if err != nil {
		return nil, nil //nolint:nilerr // what cannot be unpacked is rendered again
	}
	if old != nil {
		r.kept.replace(in.id(), old, e)
		return e, nil
	}
	r.count.loaded.Add(1)
	r.kept.put(in.id(), e)
	return e, nil
}

// find looks into memory, then into the store. The old entry is the one in
// memory that the found one was made of; nil when it came from the store. The
// error is room.ErrNoRoom, for what the store has packed.
func (r *Renderer) find(ctx context.Context, key [32]byte, in Input) (found, old *entry, err error) {
	if old := r.kept.look(in.id()); old != nil && old.fresh(r.now()) {
		if e := old.fitting(ctx, in.from(r.remotes), key, in); e != nil {
			return e, old, nil
		}
	}
	if err := room.Take(ctx, 2*r.store.size(in.id(), key)); err != nil { //nolint:mnd // what is read, and what is kept of that
		return nil, nil, err
	}
	for _, e := range r.store.load(in.id(), key) {
		if e := e.fitting(ctx, in.from(r.remotes), key, in); e != nil {
			return e, nil, nil
		}
	}
	return nil, nil, nil
}

// Known reports whether Application would answer without rendering, from
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
	e, _, err := r.find(ctx, in.key(), in)
	if err != nil {
		return nil
	}
	return e
}
