package fleet

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// watchKey names one watch: of a kind, in all namespaces or in one.
type watchKey struct {
	gvk       schema.GroupVersionKind
	namespace string
}

// running is a watcher with its store.
type running struct {
	watcher   *watcher
	store     *store
	mapping   *meta.RESTMapping
	namespace string // empty: all
	cancel    context.CancelFunc
	used      time.Time
}

// Bounds of Live.
const (
	listPatience  = 60 * time.Second
	adoptInFlight = 16
)

// Live returns, of the kinds' objects, those that are desired and exist, and
// all that carry the tracking name, whatever their kind. It sees to it that
// the kinds are watched, and waits for a new watch's first list. Kinds that
// the cluster does not serve have no objects: their arrival is told to the
// application as a change, until it looks for others.
func (c *Cluster) Live(ctx context.Context, tracking string, gvks []schema.GroupVersionKind, desired []gitops.Key) (map[gitops.Key]*gitops.Live, error) {
	return c.live(ctx, tracking, gvks, desired, func(lacking []schema.GroupKind) { c.lack(tracking, lacking) })
}

// Glance is Live for a person's look: the application goes on to wait for the
// kinds that it looked for itself.
func (c *Cluster) Glance(ctx context.Context, tracking string, gvks []schema.GroupVersionKind, desired []gitops.Key) (map[gitops.Key]*gitops.Live, error) {
	return c.live(ctx, tracking, gvks, desired, func([]schema.GroupKind) {})
}

func (c *Cluster) live(ctx context.Context, tracking string, gvks []schema.GroupVersionKind, desired []gitops.Key, lack func([]schema.GroupKind)) (map[gitops.Key]*gitops.Live, error) {
	known, err := c.kinds(ctx)
	if err != nil {
		return nil, err
	}
	mappings, lacking, err := c.mappings(ctx, known, gvks)
	if err != nil {
		return nil, err
	}
	lack(lacking)
	asked, err := c.complete(ctx, c.watchAll(mappings)) //nolint:contextcheck // a watch outlives who asked for it first
	if err != nil {
		return nil, err
	}
	out := make(map[gitops.Key]*gitops.Live, len(desired))
	add := func(l *gitops.Live) {
		if out[l.Key] == nil {
			out[l.Key] = l
		}
	}
	for _, r := range asked {
		r.store.of(tracking, add)
	}
	for _, r := range c.runningWatches() {
		r.store.of(tracking, add)
	}
	return out, c.findDesired(ctx, tracking, asked, desired, out)
}

// mappings tells how kinds are served, and which are not.
func (c *Cluster) mappings(ctx context.Context, known *kinds, gvks []schema.GroupVersionKind) (served []*meta.RESTMapping, lacking []schema.GroupKind, err error) {
	for _, gvk := range gvks {
		m, _ := known.mapping(gvk)
		if m == nil {
			if known, err = c.catalog.having(ctx, gvk.GroupKind()); err != nil {
				return nil, nil, c.problem("get /apis", err)
			}
			m, _ = known.mapping(gvk)
		}
		if m == nil {
			lacking = append(lacking, gvk.GroupKind())
			continue
		}
		served = append(served, m)
	}
	return served, lacking, nil
}

func (c *Cluster) watchAll(mappings []*meta.RESTMapping) []*running {
	var asked []*running
	for _, m := range mappings {
		asked = append(asked, c.watch(m)...)
	}
	return asked
}

// complete returns watches once all have their first list.
func (c *Cluster) complete(ctx context.Context, asked []*running) ([]*running, error) {
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	for _, r := range asked {
		err := r.watcher.outcome(ctx)
		if err != nil && ctx.Err() != nil {
			return nil, gitops.Problemf(gitops.Unreachable, "cluster %s has not listed %s in time: %w", c.Desc().Name, r.watcher.what, err)
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, c.problem("list and watch "+r.watcher.what, err)
		}
	}
	return asked, nil
}

// watch returns the watches of a kind, started if need be: one for all
// namespaces, or one for each that the cluster is limited to.
func (c *Cluster) watch(m *meta.RESTMapping) []*running {
	d := c.Desc()
	if len(d.Namespaces) == 0 {
		return []*running{c.watchIn(m, "")}
	}
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		if !d.ClusterResources {
			return nil
		}
		return []*running{c.watchIn(m, "")}
	}
	out := make([]*running, 0, len(d.Namespaces))
	for _, namespace := range d.Namespaces {
		out = append(out, c.watchIn(m, namespace))
	}
	return out
}

func (c *Cluster) watchIn(m *meta.RESTMapping, namespace string) *running {
	key := watchKey{m.GroupVersionKind, namespace}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.watchers[key]
	if r == nil {
		r = c.newRunning(key, m)
		c.watchers[key] = r
		if !c.stopped {
			ctx, cancel := context.WithCancel(c.ctx)
			r.cancel = cancel
			c.owned.Go(func() { r.watcher.run(ctx) })
		}
	}
	r.used = time.Now()
	return r
}

// definitionPage keeps pages of definitions small: one may have a megabyte.
const definitionPage = 25

func (c *Cluster) newRunning(key watchKey, m *meta.RESTMapping) *running {
	tell := func(app string, k gitops.Key) {
		c.o.OnChange(gitops.Change{Server: c.Desc().Server, App: app, Key: k})
	}
	r := &running{mapping: m, namespace: key.namespace, cancel: func() {}}
	onGone := func() {
		c.mu.Lock()
		if c.watchers[key] == r {
			delete(c.watchers, key)
		}
		c.mu.Unlock()
	}
	r.store = newStore(key.gvk, c.convert, tell, onGone)
	r.watcher = newWatcher(c, c.wholeSource(m, key.namespace), r.store, m.Resource.GroupResource().String())
	if r.watcher.what == "customresourcedefinitions.apiextensions.k8s.io" {
		r.watcher.page = definitionPage
	}
	return r
}

// convert cuts an object of the cluster down to what is kept.
func (c *Cluster) convert(o *unstructured.Unstructured) *gitops.Live {
	return c.o.Convert(c.Desc().Server, o)
}

func (c *Cluster) resource(m *meta.RESTMapping, namespace string) dynamic.ResourceInterface {
	if m.Scope.Name() == meta.RESTScopeNameRoot || namespace == "" {
		return c.dynamic.Resource(m.Resource)
	}
	return c.dynamic.Resource(m.Resource).Namespace(namespace)
}

func (c *Cluster) runningWatches() []*running {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*running, 0, len(c.watchers))
	for _, r := range c.watchers {
		out = append(out, r)
	}
	return out
}

// Reassess reads the objects of some kinds anew: Convert gives them another
// health than before, or tells otherwise whose they are. Objects themselves are
// not kept.
func (f *Fleet) Reassess(changed func(schema.GroupKind) bool) {
	for _, c := range f.Members() {
		for _, r := range c.runningWatches() {
			if entries, marks := r.store.size(); entries+marks > 0 && changed(r.store.gvk.GroupKind()) {
				r.watcher.relist()
			}
		}
	}
}

// stopUnused ends watches that nobody asked for in a while and that hold no
// object of an application, and forgets who desires no object any more.
func (c *Cluster) stopUnused(after time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, r := range c.watchers {
		r.store.age(after)
		if entries, _ := r.store.size(); entries == 0 && time.Since(r.used) > after {
			r.cancel()
			delete(c.watchers, key)
		}
	}
	if c.nodes != nil && time.Since(c.nodes.used) > after {
		c.nodes.cancel()
		c.nodes = nil
	}
}

// findDesired adds the desired objects that carry no tracking name of the
// application. Those of which only the existence is known are read once, and
// are followed like its own from then on.
func (c *Cluster) findDesired(ctx context.Context, tracking string, asked []*running, desired []gitops.Key, out map[gitops.Key]*gitops.Live) error {
	type unread struct {
		r   *running
		key gitops.Key
	}
	var rest []unread
	for _, key := range desired {
		if out[key] != nil {
			continue
		}
		for _, r := range asked {
			if r.store.gvk.Group != key.Group || r.store.gvk.Kind != key.Kind || r.namespace != "" && r.namespace != key.Namespace {
				continue
			}
			live, marked := r.store.want(place{key.Namespace, key.Name}, tracking)
			if live != nil {
				out[key] = live
			}
			if marked {
				rest = append(rest, unread{r, key})
			}
		}
	}
	found := make([]*gitops.Live, len(rest))
	group, ctx := crew.WithContext(ctx)
	group.SetLimit(adoptInFlight)
	for i, u := range rest {
		group.Go(func() (err error) {
			found[i], err = c.adopt(ctx, u.r, u.key, tracking)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, live := range found {
		if live != nil {
			out[rest[i].key] = live
		}
	}
	return nil
}

// adopt reads an object that no application manages; nil when it has gone.
func (c *Cluster) adopt(ctx context.Context, r *running, key gitops.Key, tracking string) (*gitops.Live, error) {
	o, err := c.resource(r.mapping, key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // absence is a value here
	}
	if err != nil {
		return nil, c.problem("get "+r.watcher.what, err)
	}
	live := r.store.trim(c.convert(o))
	r.store.accept(live, tracking)
	if newer, _ := r.store.want(place{key.Namespace, key.Name}, tracking); newer != nil {
		return newer, nil
	}
	return live, nil
}

// Find asks the cluster for an object that the watch does not show; nil when
// it is not there, or its kind is not served. It counts as no change.
func (c *Cluster) Find(ctx context.Context, gvk schema.GroupVersionKind, key gitops.Key) (*gitops.Live, error) {
	m, err := c.Mapping(ctx, gvk)
	if notServed(err) {
		return nil, nil //nolint:nilnil // absence is a value here
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	o, err := c.resource(m, key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	if absent(err, key.Name) {
		return nil, nil //nolint:nilnil // absence is a value here
	}
	if err != nil {
		return nil, c.problem("get "+m.Resource.GroupResource().String(), err)
	}
	live := c.convert(o)
	c.Put(live)
	return live, nil
}

// Put takes a live object that a write returned, so that the next plan sees
// it before the watch has told of it. It counts as no change for the
// application that it belongs to.
func (c *Cluster) Put(live *gitops.Live) {
	if live == nil {
		return
	}
	for _, r := range c.runningWatches() {
		if r.store.gvk == live.Version && r.watches(live.Key.Namespace, c.Desc()) {
			r.store.accept(live, "")
		}
	}
}

func (r *running) watches(namespace string, d gitops.Cluster) bool {
	return len(d.Namespaces) == 0 || r.namespace == "" || r.namespace == namespace
}

// Get reads a whole object, for a person's look.
func (c *Cluster) Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	m, err := c.Mapping(ctx, gvk)
	if err != nil {
		return nil, err
	}
	o, err := c.resource(m, namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, gitops.Problemf(gitops.NotFound, "cluster %s has no %s %s", c.Desc().Name, gvk.Kind, fmt.Sprintf("%s/%s", namespace, name))
	}
	return o, c.problem("get "+m.Resource.GroupResource().String(), err)
}

// Bounds of what one look lists, in bytes: what is read, and what it takes. A
// Pod of two containers, as it is read, takes some 120 KiB.
const (
	maxList = 512 << 20
	maxKept = 384 << 20
	// maxLooks is what the looks of all people take together, and maxLooksEach
	// those of one of them.
	maxLooks     = 512 << 20
	maxLooksEach = 384 << 20
)

// newLooks makes the account of all people's looks at clusters.
func newLooks() *reply.Account { return reply.NewAccount(maxLooks, maxLooksEach) }

// OneLook returns a context in which all that is read has the bounds of one look
// of a person, until end is called: when nothing of it is kept any more.
func (c *Cluster) OneLook(ctx context.Context, person string) (_ context.Context, end func()) {
	return c.looks.Look(ctx, person, maxList, maxKept)
}

// List reads whole objects of a kind in a namespace, or in all, for a
// person's look. Who manages which of their fields is left out.
func (c *Cluster) List(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	err := c.each(reply.Within(ctx, maxList, maxKept), gvk, namespace, func(page *unstructured.UnstructuredList) {
		for i := range page.Items {
			page.Items[i].SetManagedFields(nil)
		}
		out = append(out, page.Items...)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// each reads whole objects page by page.
func (c *Cluster) each(ctx context.Context, gvk schema.GroupVersionKind, namespace string, take func(*unstructured.UnstructuredList)) error {
	m, err := c.Mapping(ctx, gvk)
	if err != nil {
		return err
	}
	err = reply.Pages(ctx, pageSize, c.resource(m, namespace).List, take)
	if err != nil {
		return c.problem("list "+m.Resource.GroupResource().String(), err)
	}
	return nil
}
