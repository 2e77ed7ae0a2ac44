package fleet

import (
	"context"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// heeds are the objects of a kind whose changes somebody waits for, although
// they may belong to no application or to another one. A place without a name
// means all objects of a namespace, and one without either all of the kind. It
// is safe for concurrent use.
type heeds struct {
	mu     sync.RWMutex
	places map[place]int // how many applications
	byApp  map[string]map[place]struct{}
}

func (h *heeds) add(app string, p place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.places == nil {
		h.places, h.byApp = map[place]int{}, map[string]map[place]struct{}{}
	}
	if h.byApp[app] == nil {
		h.byApp[app] = map[place]struct{}{}
	}
	if _, ok := h.byApp[app][p]; !ok {
		h.byApp[app][p] = struct{}{}
		h.places[p]++
	}
}

// drop forgets all of an application's.
func (h *heeds) drop(app string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for p := range h.byApp[app] {
		if h.places[p]--; h.places[p] == 0 {
			delete(h.places, p)
		}
	}
	delete(h.byApp, app)
}

func (h *heeds) has(p place) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if len(h.places) == 0 {
		return false
	}
	for _, q := range []place{p, {namespace: p.namespace}, {}} {
		if h.places[q] > 0 {
			return true
		}
	}
	return false
}

func (h *heeds) size() (n int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, of := range h.places {
		n += of
	}
	return n
}

func (h *heeds) all() []place {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Collect(maps.Keys(h.places))
}

// heed tells of a change of an object that somebody waits for, as one of no application.
func (s *store) heed(p place) {
	if s.heeds.has(p) {
		s.tell("", gitops.Key{Group: s.gvk.Group, Kind: s.gvk.Kind, Namespace: p.namespace, Name: p.name})
	}
}

// heedAll tells of all of them: they may have changed.
func (s *store) heedAll() {
	for _, p := range s.heeds.all() {
		s.tell("", gitops.Key{Group: s.gvk.Group, Kind: s.gvk.Kind, Namespace: p.namespace, Name: p.name})
	}
}

// Heed sees to it that from now on, until Fleet.Unheed, each change of an object
// that an application depends on is told as a gitops.Change without an
// application, also when none manages it and when it does not exist yet. Without
// a name those of all objects of the kind are, in the namespace or everywhere. It
// returns the version that the kind is served in. One that is not served is told to the application of the tracking name
// when it is; the error then has the kind NotReady. Permits is asked once it is
// known whether the kind is namespaced, before anything is watched: its error
// is returned. It also returns whether the kind is namespaced.
func (c *Cluster) Heed(ctx context.Context, tracking string, gk schema.GroupKind, namespace, name string, permits func(namespaced bool) error) (schema.GroupVersionKind, bool, error) {
	none := schema.GroupVersionKind{}
	known, err := c.kinds(ctx)
	if err != nil {
		return none, false, err
	}
	m, _ := known.mapping(gk.WithVersion(""))
	if m == nil {
		if known, err = c.catalog.having(ctx, gk); err != nil {
			return none, false, c.problem("get /apis", err)
		}
		m, _ = known.mapping(gk.WithVersion(""))
	}
	if m == nil {
		c.await(tracking, gk)
		return none, false, gitops.Problemf(gitops.NotReady, "cluster %s does not serve the kind %s", c.Desc().Name, gk)
	}
	namespaced := m.Scope.Name() == meta.RESTScopeNameNamespace
	if err := permits(namespaced); err != nil {
		return none, false, err
	}
	if !namespaced {
		namespace = ""
	}
	watches, err := c.complete(ctx, c.watch(m)) //nolint:contextcheck // a watch outlives who asked for it first
	if err != nil {
		return none, false, err
	}
	c.asks.heed(tracking, c)
	for _, r := range watches {
		r.store.heeds.add(tracking, place{namespace, name})
	}
	return m.GroupVersionKind, namespaced, nil
}
