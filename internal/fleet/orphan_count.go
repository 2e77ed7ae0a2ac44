package fleet

import (
	"context"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// census counts the objects of a cluster's namespaced kinds that nothing
// owns, by their metadata alone. It costs nothing until an application asks:
// then each kind has one watch for all who ask, and an object a place and a
// name. It ends when nobody asks any more.
type census struct {
	mu     sync.Mutex
	counts map[watchKey]*headcount
	// asked has when which application asked for a namespace last.
	asked map[string]map[string]time.Time
	heads int
}

// maxHeads bounds the objects that a census keeps of a cluster.
const maxHeads = 300_000

// headcount is the census of one kind.
type headcount struct {
	census  *census
	gvk     schema.GroupVersionKind
	watcher *watcher
	cancel  context.CancelFunc
	tell    func(app string, k gitops.Key)
	// The census' lock holds for what follows.
	heads map[place]head
	round uint32
	// missed: there was no place for some, and so there is no telling before the
	// next list has all.
	missed bool
	synced bool
	over   bool // nobody counts on it any more
}

type head struct {
	app   string
	round uint32
}

// uncounted are kinds that come and go by themselves, which Argo CD leaves
// out of all it watches, too.
var uncounted = map[schema.GroupKind]bool{
	{Kind: "Event"}:                                    true,
	{Group: "events.k8s.io", Kind: "Event"}:            true,
	{Kind: "Endpoints"}:                                true,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}: true,
	{Group: "coordination.k8s.io", Kind: "Lease"}:      true,
}

// Strays lists the objects of a namespace that no object owns. From then on
// the application is told of changes among them. Kinds that may not be listed
// are left out.
func (c *Cluster) Strays(ctx context.Context, tracking, namespace string) ([]gitops.Stray, error) {
	known, err := c.kinds(ctx)
	if err != nil {
		return nil, err
	}
	counts := c.count(known, tracking, namespace) //nolint:contextcheck // a watch outlives who asked for it first
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	for _, h := range counts {
		err := h.watcher.outcome(ctx)
		if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
			return nil, c.problem("list and watch "+h.watcher.what, err)
		}
	}
	return c.census.in(c.Desc().Name, namespace)
}

// count starts what watches are missing, and notes who asks.
func (c *Cluster) count(known *kinds, tracking, namespace string) []*headcount {
	limits := c.Desc().Namespaces
	if len(limits) == 0 {
		limits = []string{""}
	}
	s := &c.census
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ask(tracking, namespace, time.Now())
	var out []*headcount
	for gk, mappings := range known.byKind {
		m := mappings[0]
		if uncounted[gk] || m.Scope.Name() != meta.RESTScopeNameNamespace || !known.watchable[m.Resource] {
			continue
		}
		for _, limit := range limits {
			key := watchKey{m.GroupVersionKind, limit}
			if s.counts[key] == nil {
				s.counts[key] = c.newHeadcount(m, key)
			}
			out = append(out, s.counts[key])
		}
	}
	return out
}

func (c *Cluster) newHeadcount(m *meta.RESTMapping, key watchKey) *headcount {
	ctx, cancel := context.WithCancel(c.ctx)
	h := &headcount{census: &c.census, gvk: m.GroupVersionKind, cancel: cancel, heads: map[place]head{}}
	h.tell = func(app string, k gitops.Key) {
		c.o.OnChange(gitops.Change{Server: c.Desc().Server, App: app, Key: k, Asked: true})
	}
	from := metadataSource(c.metadata.Resource(m.Resource))
	if key.namespace != "" {
		from = metadataSource(c.metadata.Resource(m.Resource).Namespace(key.namespace))
	}
	h.watcher = newWatcher(c, from, h, m.Resource.GroupResource().String())
	c.owned.Go(func() { h.watcher.run(ctx) })
	return h
}

// ask notes who asks; the lock is held.
func (s *census) ask(tracking, namespace string, now time.Time) {
	if s.counts == nil {
		s.counts, s.asked = map[watchKey]*headcount{}, map[string]map[string]time.Time{}
	}
	if s.asked[namespace] == nil {
		s.asked[namespace] = map[string]time.Time{}
	}
	s.asked[namespace][tracking] = now
}

// in lists what a namespace has.
func (s *census) in(cluster, namespace string) ([]gitops.Stray, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missed() {
		return nil, gitops.Problemf(gitops.Invalid, "cannot look for orphaned resources on cluster %s: it has more than %d objects without an owner", cluster, maxHeads).
			Do("take spec.orphanedResources out of the project")
	}
	var out []gitops.Stray
	for _, h := range s.counts {
		for p, object := range h.heads {
			if p.namespace == namespace {
				out = append(out, gitops.Stray{Key: h.key(p), App: object.app})
			}
		}
	}
	return out, nil
}

// missed reports whether there was no place for some object; the lock is held.
func (s *census) missed() bool {
	for _, h := range s.counts {
		if h.missed {
			return true
		}
	}
	return false
}

// expire forgets who has not asked for a while, and ends when nobody is left.
func (s *census) expire(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for namespace, apps := range s.asked {
		for app, at := range apps {
			if time.Since(at) > after {
				delete(apps, app)
			}
		}
		if len(apps) == 0 {
			delete(s.asked, namespace)
		}
	}
	if len(s.asked) > 0 {
		return
	}
	for _, h := range s.counts {
		h.cancel()
		h.over = true
	}
	s.counts, s.asked, s.heads = nil, nil, 0
}

func (h *headcount) key(p place) gitops.Key {
	return gitops.Key{Group: h.gvk.Group, Kind: h.gvk.Kind, Namespace: p.namespace, Name: p.name}
}

func (h *headcount) begin() {
	h.census.mu.Lock()
	defer h.census.mu.Unlock()
	h.round++
	h.missed = false
}

func (h *headcount) page(o metav1.Object) { h.see(o) }

func (h *headcount) end(string) {
	for _, p := range h.ended() {
		h.drop(p)
	}
}

// ended are the objects that the list did not have.
func (h *headcount) ended() (lost []place) {
	h.census.mu.Lock()
	defer h.census.mu.Unlock()
	for p, object := range h.heads {
		if object.round != h.round {
			lost = append(lost, p)
		}
	}
	h.synced = true
	return lost
}

func (h *headcount) event(t watch.EventType, o metav1.Object) {
	if t == watch.Deleted {
		h.drop(placeOf(o))
		return
	}
	h.see(o)
}

func (h *headcount) gone() {
	h.census.mu.Lock()
	defer h.census.mu.Unlock()
	for key, other := range h.census.counts {
		if other == h {
			delete(h.census.counts, key)
			h.over = true
			h.census.heads -= len(h.heads)
		}
	}
}

// see takes an object. One that another owns is of no interest.
func (h *headcount) see(o metav1.Object) {
	p := placeOf(o)
	if len(o.GetOwnerReferences()) > 0 {
		h.drop(p)
		return
	}
	// A part of the annotation would keep all of it.
	app := strings.Clone(ownerOf(o.GetAnnotations()[gitops.AnnotationTracking], h.gvk, p))
	h.tellAll(h.seen(p, app), p)
}

// seen notes an object, and is whom to tell of it.
func (h *headcount) seen(p place, app string) []string {
	h.census.mu.Lock()
	defer h.census.mu.Unlock()
	if h.over {
		return nil
	}
	old, known := h.heads[p]
	if !known && h.census.heads >= maxHeads {
		h.missed = true
		return h.concerned(p, true)
	}
	if !known {
		h.census.heads++
	}
	h.heads[p] = head{app: app, round: h.round}
	return h.concerned(p, !known || old.app != app)
}

func (h *headcount) drop(p place) { h.tellAll(h.dropped(p), p) }

func (h *headcount) dropped(p place) []string {
	h.census.mu.Lock()
	defer h.census.mu.Unlock()
	_, known := h.heads[p]
	if known = known && !h.over; known {
		delete(h.heads, p)
		h.census.heads--
	}
	return h.concerned(p, known)
}

// concerned are the applications that asked for a namespace, if something in
// it changed; the lock is held. The first list is no change.
func (h *headcount) concerned(p place, changed bool) []string {
	if !changed || !h.synced {
		return nil
	}
	var out []string
	for app := range h.census.asked[p.namespace] {
		out = append(out, app)
	}
	return out
}

func (h *headcount) tellAll(apps []string, p place) {
	for _, app := range apps {
		h.tell(app, h.key(p))
	}
}
