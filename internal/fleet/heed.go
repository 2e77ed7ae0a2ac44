package fleet

import (
	"context"
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
	places map[place]struct{}
}

func (h *heeds) add(p place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.places == nil {
		h.places = map[place]struct{}{}
	}
	h.places[p] = struct{}{}
}

func (h *heeds) has(p place) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if len(h.places) == 0 {
		return false
	}
	for _, q := range []place{p, {namespace: p.namespace}, {}} {
		if _, ok := h.places[q]; ok {
			return true
		}
	}
	return false
}

func (h *heeds) all() []place {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]place, 0, len(h.places))
	for p := range h.places {
		out = append(out, p)
	}
	return out
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

// Heed sees to it that from now on each change of an object is told as a
// gitops.Change without an application, also when none manages it and when it
// does not exist yet. Without a name those of all objects of the kind are, in
// the namespace or everywhere. It returns the version that the kind is served
// in. One that is not served is told to the application of the tracking name
// when it is; the error then has the kind NotReady. Permits is asked once it is
// known whether the kind is namespaced, before anything is watched: its error
// is returned.
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
	watches, err := c.watchAll(ctx, known, tracking, []schema.GroupVersionKind{m.GroupVersionKind})
	if err != nil {
		return none, false, err
	}
	for _, r := range watches {
		r.store.heeds.add(place{namespace, name})
	}
	return m.GroupVersionKind, namespaced, nil
}
