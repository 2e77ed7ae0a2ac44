package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Around is what a provider may use of the cluster that its store is in.
type Around struct {
	// Objects reads Secrets and ConfigMaps at the API server.
	Objects client.Reader
	// Namespace is that of a SecretStore, which may use nothing of another one; it is
	// empty for a ClusterSecretStore.
	Namespace string
}

// Factory opens a store of one provider, whose configuration is in JSON.
type Factory func(ctx context.Context, config json.RawMessage, around Around) (provider.Reader, error)

// Shelf keeps stores open. It is safe for concurrent use.
type Shelf struct {
	objects   client.Reader
	factories map[string]Factory

	mu   sync.Mutex
	open map[key]*Opened
}

// key is a store as its spec was at a time.
type key struct {
	uid        string
	generation int64
}

// NewShelf opens stores of these providers, of one cluster, with what objects
// reads there.
func NewShelf(objects client.Reader, factories map[string]Factory) *Shelf {
	return &Shelf{objects: objects, factories: factories, open: map[key]*Opened{}}
}

// Open is a store that can be read. It is opened once for each generation.
func (s *Shelf) Open(ctx context.Context, store Store) (*Opened, error) {
	id := key{string(store.UID), store.Generation}
	s.mu.Lock()
	opened := s.open[id]
	s.mu.Unlock()
	if opened != nil {
		return opened, nil
	}
	factory, ok := s.factories[store.Provider]
	if !ok {
		return nil, fmt.Errorf("%w: %s is of the provider %q; this build has %s", ErrProvider, store, store.Provider,
			strings.Join(slices.Sorted(maps.Keys(s.factories)), ", "))
	}
	reader, err := factory(ctx, store.Config, Around{Objects: s.objects, Namespace: store.Namespace})
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", store, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for other := range s.open {
		if other.uid == id.uid && other.generation < id.generation {
			delete(s.open, other)
		}
	}
	if already := s.open[id]; already != nil {
		return already, nil
	}
	s.open[id] = newOpened(store, reader)
	return s.open[id], nil
}

// Forget closes a store that is gone.
func (s *Shelf) Forget(uid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.open {
		if id.uid == uid {
			delete(s.open, id)
		}
	}
}
