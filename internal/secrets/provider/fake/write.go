package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// written is what was pushed, for as long as the store stays open.
type written struct {
	mu      sync.Mutex
	values  map[string][]byte
	deleted map[string]bool
}

// at is what was written under a key, and whether something is there; known is that
// something was written or deleted.
func (w *written) at(key string) (value []byte, is, known bool) {
	if w == nil {
		return nil, false, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	value, is = w.values[key]
	return slices.Clone(value), is, is || w.deleted[key]
}

func (w *written) set(key string, value []byte) error {
	if w == nil {
		return errors.New("the store is not open")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.values[key] = slices.Clone(value)
	delete(w.deleted, key)
	return nil
}

var _ provider.Writer = Provider{}

// Put implements provider.Writer.
func (p Provider) Put(ctx context.Context, push provider.Push) error {
	if push.Property == "" {
		return p.written.set(push.Key, push.Value)
	}
	object, err := p.object(ctx, push.Key)
	if err != nil {
		return err
	}
	return p.store(push.Key, provider.With(object, push.Property, push.Value))
}

// Delete implements provider.Writer: what the configuration says is not written, and
// stays.
func (p Provider) Delete(ctx context.Context, target provider.Target) error {
	if _, is, _ := p.written.at(target.Key); !is {
		return nil
	}
	if target.Property != "" {
		object, err := p.object(ctx, target.Key)
		if err != nil {
			return err
		}
		if delete(object, target.Property); len(object) > 0 {
			return p.store(target.Key, object)
		}
	}
	p.written.mu.Lock()
	defer p.written.mu.Unlock()
	delete(p.written.values, target.Key)
	p.written.deleted[target.Key] = true
	return nil
}

// Exists implements provider.Writer.
func (p Provider) Exists(ctx context.Context, target provider.Target) (bool, error) {
	if target.Property == "" {
		_, err := p.Read(ctx, provider.Ref{Key: target.Key})
		return err == nil, nil
	}
	object, err := p.object(ctx, target.Key)
	_, is := object[target.Property]
	return is, err
}

// object is the entry of a key, empty where there is none.
func (p Provider) object(ctx context.Context, key string) (map[string]any, error) {
	one, err := p.Read(ctx, provider.Ref{Key: key})
	if errors.Is(err, entry.ErrNotFound) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, err
	}
	object, err := provider.Object(one.Text)
	if err != nil {
		return nil, fmt.Errorf("the entry %s cannot have a property: %w", key, err)
	}
	return object, nil
}

func (p Provider) store(key string, object map[string]any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return errors.New("the fields are no JSON")
	}
	return p.written.set(key, text)
}
