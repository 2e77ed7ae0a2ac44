package secrets

import (
	"context"
	"reflect"
	"strings"
	"time"
)

// Note writes from time to time what is noted of keys, until ctx ends.
func (r *Keyring) Note(ctx context.Context) {
	tick := time.NewTicker(noteKeys)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.noteNow(ctx)
		}
	}
}

// noteNow writes what is noted. What cannot be written is tried again.
func (r *Keyring) noteNow(ctx context.Context) {
	r.mu.Lock()
	data := map[string]any{}
	for name, text := range r.notes {
		if id, _, _ := strings.Cut(name, "."); r.keys[id] == nil {
			delete(r.notes, name) // it was revoked
			continue
		}
		data[name] = text
	}
	r.mu.Unlock()
	if len(data) == 0 {
		return
	}
	if err := r.write(ctx, data); err != nil {
		r.log.WarnContext(ctx, "when API keys were used is not noted", "error", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, text := range data {
		if reflect.DeepEqual(r.notes[name], text) {
			delete(r.notes, name)
		}
	}
}
