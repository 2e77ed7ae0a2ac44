package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Factory opens a store of one provider, whose configuration is in JSON.
type Factory func(ctx context.Context, config json.RawMessage, around Around) (provider.Reader, error)

// Shelf keeps stores open. It is safe for concurrent use.
type Shelf struct {
	cluster   Cluster
	factories map[string]Factory

	// kept is how many bytes all entries have that its stores keep.
	kept atomic.Int64
	// turns are those of who writes to its stores.
	turns *turns

	mu   sync.Mutex
	open map[key]*Opened
}

// key is a store as its spec was at a time, for who asks if that makes a difference.
type key struct {
	uid        types.UID
	generation int64
	asking     string
}

// NewShelf opens stores of these providers, of one cluster.
func NewShelf(cluster Cluster, factories map[string]Factory) *Shelf {
	return &Shelf{cluster: cluster, factories: factories, turns: newTurns(), open: map[key]*Opened{}}
}

// Around is what a generator may use, for somebody in a namespace: what is there.
func (s *Shelf) Around(asking string) Around {
	return Around{Cluster: s.cluster, own: asking, asking: asking, asked: new(bool)}
}

const (
	// openFor is how long a store stays open: its credentials are read anew then.
	openFor = 10 * time.Minute
	// refusedFor is how long it does after it was opened where these are refused: they
	// may be others by now, and many may ask with those that are wrong.
	refusedFor = 15 * time.Second
)

// Open is a store that can be read, for somebody in a namespace.
func (s *Shelf) Open(ctx context.Context, store Store, asking string) (*Opened, error) {
	id := key{store.UID, store.Generation, ""}
	if opened := s.lookUp(id, asking); opened != nil {
		return opened, nil
	}
	factory, ok := s.factories[store.Provider]
	if !ok {
		return nil, fmt.Errorf("%w: %s is of the provider %q; this build has %s", ErrProvider, store, store.Provider,
			strings.Join(slices.Sorted(maps.Keys(s.factories)), ", "))
	}
	around := Around{Cluster: s.cluster, own: store.Namespace, asking: asking, asked: new(bool)}
	ctx, cancel := context.WithTimeout(ctx, longestRead) // it may log in, at a server that does not answer
	defer cancel()
	reader, err := factory(ctx, store.Config, around)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: spec.provider.%s: %w", store, store.Provider, err)
	}
	if *around.asked {
		id.asking = asking
	}
	opened := newOpened(store, reader)
	opened.kept, opened.turns = &s.kept, s.turns
	if s.cluster.Asked != nil {
		opened.asked = s.cluster.Asked
	}
	opened.refused = func() { s.forget(opened) }
	return s.keep(id, opened), nil
}

func (s *Shelf) lookUp(id key, asking string) *Opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range []key{id, {id.uid, id.generation, asking}} {
		if opened := s.open[id]; opened != nil && !opened.over(openFor) {
			return opened
		}
	}
	return nil
}

// keep is what is kept under a key: the first, of two that were opened at a time.
func (s *Shelf) keep(id key, opened *Opened) *Opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, one := range s.open {
		if other.uid == id.uid && other.generation < id.generation || one.over(openFor) {
			delete(s.open, other)
		}
	}
	if already := s.open[id]; already != nil {
		return already
	}
	s.open[id] = opened
	return opened
}

// forget closes a store, so that it is opened anew, with the credentials that there are.
func (s *Shelf) forget(opened *Opened) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.open, func(_ key, one *Opened) bool { return one == opened })
}
